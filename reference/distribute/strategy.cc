#include "reference/distribute/strategy.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/in_process_group.h"
#include "reference/distribute/input/agreed_end.h"
#include "reference/distribute/worker_collectives.h"
#include "reference/kernels/movement/movement.h"

namespace lockstep {

// The default strategy: one replica on CPU:0, always in replica context. Run
// calls the function on the calling thread, variables are plain.
class DefaultStrategy final : public Strategy {
 public:
  static DefaultStrategy& Get();

  bool is_default() const override { return true; }
  // The only replica.
  ReplicaContext& replica_context() { return context_; }
  VariablePtr CreateVariable(const VariableOptions& options) override;

 private:
  DefaultStrategy();
  void RunReplicas(const ReplicaBody& body) override;

  ReplicaContext context_;
};

namespace {

ReplicasPtr OneReplica() {
  auto replicas =
      std::make_shared<Replicas>(Replicas{.topology = Topology::OneWorker(1),
                                          .devices = {&FindDevice("CPU:0")},
                                          .groups = {},
                                          .rendezvous = nullptr});
  replicas->groups.push_back(std::make_unique<InProcessGroup>(
      std::make_shared<Rendezvous>(1), 0,
      std::make_shared<SharedMemoryAllReduce>()));
  return replicas;
}

}  // namespace

DefaultStrategy& DefaultStrategy::Get() {
  static DefaultStrategy* strategy = new DefaultStrategy;
  return *strategy;
}

DefaultStrategy::DefaultStrategy()
    : Strategy(OneReplica()), context_(*this, replicas(), LocalIndex(0)) {}

VariablePtr DefaultStrategy::CreateVariable(const VariableOptions& options) {
  return MakeVariable(options);
}

void DefaultStrategy::RunReplicas(const ReplicaBody& body) {
  body(LocalIndex(0));
}

namespace {

[[maybe_unused]] const bool is_default_context = [] {
  DistributionContext::SetDefault([]() -> DistributionContext& {
    return DefaultStrategy::Get().replica_context();
  });
  return true;
}();

// Installs the context of an open scope; the destructor restores the previous
// one.
struct InForce {
  explicit InForce(Strategy& strategy)
      : context(strategy, strategy.replicas()),
        context_scope(context),
        creator_scope([strategy = &strategy](const VariableOptions& options) {
          return strategy->CreateVariable(options);
        }) {}

  CrossReplicaContext context;
  DistributionContextScope context_scope;
  VariableCreatorScope creator_scope;
};

struct OpenScope {
  uint64_t id;
  bool closed = false;
  std::unique_ptr<InForce> in_force;  // none if nothing changes
};

// Innermost last.
thread_local std::vector<OpenScope> open_scopes;

void CheckNotMixed(const Strategy& strategy) {
  const StrategyContext* current = StrategyContext::Current();
  if (current == nullptr || &current->strategy() == &strategy) return;
  throw FailedPrecondition(
      "[Scope] Mixing different Strategy objects: one over {} replicas is in "
      "force, got one over {}",
      current->num_replicas_in_sync(), strategy.num_replicas_in_sync());
}

void PopClosed() {
  while (!open_scopes.empty() && open_scopes.back().closed) {
    open_scopes.pop_back();
  }
}

}  // namespace

StrategyScope::StrategyScope(Strategy& strategy) {
  static std::atomic<uint64_t> last_id{0};
  CheckNotMixed(strategy);
  // A replica stays in replica context; without a strategy nothing changes.
  const bool in_replica = ReplicaContext::Current() != nullptr;
  const bool changes = !in_replica && !strategy.is_default();
  id_ = ++last_id;
  open_scopes.push_back(
      {.id = id_,
       .in_force = changes ? std::make_unique<InForce>(strategy) : nullptr});
}

StrategyScope::~StrategyScope() {
  if (id_ == 0) return;
  const auto mine = std::ranges::find(open_scopes, id_, &OpenScope::id);
  if (mine == open_scopes.end()) {
    LogWarning("[Scope] {}", "a scope was closed on another thread");
    return;
  }
  mine->closed = true;
  if (&*mine != &open_scopes.back()) {
    LogWarning("[Scope] {}", "scopes were closed out of order");
  }
  PopClosed();
}

void StrategyScope::Close() {
  if (id_ == 0) return;
  const auto mine = std::ranges::find(open_scopes, id_, &OpenScope::id);
  if (mine == open_scopes.end()) {
    throw FailedPrecondition("[Scope] {}",
                             "a scope is closed on the thread that opened it");
  }
  if (&*mine != &open_scopes.back()) {
    throw FailedPrecondition(
        "[Scope] scope nesting error: {} scopes opened later are still open",
        &open_scopes.back() - &*mine);
  }
  id_ = 0;
  mine->closed = true;
  PopClosed();
}

using distribute_internal::ReduceOverReplicas;

void Strategy::CheckCrossReplica(const char* operation) const {
  DistributionContext::Current().CheckOutsideRun(
      operation,
      "a replica calls AllReduce, AllGather or MergeCall of "
      "GetReplicaContext()");
}

void Strategy::CheckReplicas(const char* operation, int got) const {
  if (got == topology().num_local_replicas()) return;
  throw InvalidArgument("[{}] the strategy has {} replicas, got values of {}",
                        operation, topology().num_local_replicas(), got);
}

Tensor Strategy::Reduce(ReduceOp op, const PerReplica<Tensor>& value,
                        const ReduceAxes& axes) const {
  CheckCrossReplica("Reduce");
  CheckReplicas("Reduce", value.size());
  if (replicas()->workers) {
    return distribute_internal::ReduceOverAll(*replicas(), "Reduce", op,
                                              value.values(), axes);
  }
  return ReduceOverReplicas(op, value.values(), axes, *devices()[0]);
}

Structure Strategy::Reduce(ReduceOp op, const PerReplica<Structure>& value,
                           const ReduceAxes& axes) const {
  CheckReplicas("Reduce", value.size());
  return Regroup(value).Map<Tensor>(
      [&](const PerReplica<Tensor>& leaf) { return Reduce(op, leaf, axes); });
}

Tensor Strategy::Reduce(ReduceOp op, const Tensor& plain,
                        const ReduceAxes& axes) const {
  CheckCrossReplica("Reduce");
  if (op == ReduceOp::kSum && num_replicas_in_sync() > 1) {
    throw InvalidArgument(
        "[Reduce] a value that is not distributed, {}, cannot be reduced with "
        "ReduceOp.SUM over {} replicas",
        Describe(plain), num_replicas_in_sync());
  }
  if (axes.none()) return plain;
  return ReduceOverReplicas(op, {plain}, axes, *devices()[0]);
}

Structure Strategy::Reduce(ReduceOp op, const Structure& plain,
                           const ReduceAxes& axes) const {
  return plain.Map<Tensor>(
      [&](const Tensor& leaf) { return Reduce(op, leaf, axes); });
}

Tensor Strategy::Gather(const PerReplica<Tensor>& value, int axis) const {
  CheckCrossReplica("Gather");
  CheckReplicas("Gather", value.size());
  if (replicas()->workers) {
    return distribute_internal::GatherFromAll(*replicas(), value.values(),
                                              axis);
  }
  return kernels::Concat(
      collectives_internal::Reachable(value.values(), *devices()[0]), axis);
}

Structure Strategy::Gather(const PerReplica<Structure>& value, int axis) const {
  CheckReplicas("Gather", value.size());
  return Regroup(value).Map<Tensor>(
      [&](const PerReplica<Tensor>& leaf) { return Gather(leaf, axis); });
}

Tensor Strategy::Gather(const Tensor& plain, int /*axis*/) const {
  CheckCrossReplica("Gather");
  return plain;
}

DistributedDataset Strategy::DistributeDataset(
    const Dataset& dataset, const InputOptions& options) const {
  CheckCrossReplica("DistributeDataset");
  return MakeInput(dataset, options);
}

DistributedDataset Strategy::DistributeDatasetsFromFunction(
    const DatasetFunction& function, const InputOptions& options) const {
  CheckCrossReplica("DistributeDatasetsFromFunction");
  return MakeInput(function, options);
}

DistributedDataset Strategy::MakeInput(const Dataset& dataset,
                                       const InputOptions& options) const {
  return AgreeOnEnd(
      lockstep::DistributeDataset(topology(), devices(), dataset, options),
      replicas()->workers, devices());
}

DistributedDataset Strategy::MakeInput(const DatasetFunction& function,
                                       const InputOptions& options) const {
  return AgreeOnEnd(lockstep::DistributeDatasetsFromFunction(
                        topology(), devices(), function, options),
                    replicas()->workers, devices());
}

Strategy& GetStrategy() {
  const StrategyContext* current = StrategyContext::Current();
  if (current != nullptr) return current->strategy();
  return DefaultStrategy::Get();
}

bool HasStrategy() { return DistributionContext::Current().has_strategy(); }

bool InCrossReplicaContext() {
  return DistributionContext::Current().in_cross_replica_context();
}

ReplicaContext& GetReplicaContext() {
  auto* current =
      dynamic_cast<ReplicaContext*>(&DistributionContext::Current());
  if (current != nullptr) return *current;
  throw FailedPrecondition(
      "[GetReplicaContext] there is no replica in cross-replica context; {}",
      "call it inside Run");
}

namespace distribute_internal {

void CheckSameForm(const std::vector<Structure>& results) {
  for (size_t replica = 1; replica < results.size(); ++replica) {
    if (results[replica].SameFormAs(results[0])) continue;
    throw InvalidArgument(
        "[Run] results must have the same structure on all replicas; replica "
        "{} and replica 0 differ",
        replica);
  }
}

void CheckSameSize(const std::vector<size_t>& sizes) {
  for (size_t replica = 1; replica < sizes.size(); ++replica) {
    if (sizes[replica] == sizes[0]) continue;
    throw InvalidArgument(
        "[Run] results must have the same structure on all replicas; replica "
        "0 returned {} values, replica {} returned {}",
        sizes[0], replica, sizes[replica]);
  }
}

}  // namespace distribute_internal

}  // namespace lockstep
