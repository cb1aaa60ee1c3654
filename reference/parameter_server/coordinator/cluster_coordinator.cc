#include "reference/parameter_server/coordinator/cluster_coordinator.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "reference/base/error.h"
#include "reference/parameter_server/coordinator/closure_queue.h"
#include "reference/parameter_server/coordinator/strategy_parts.h"
#include "reference/parameter_server/coordinator/worker_connection.h"

namespace lockstep {

using coordinator_internal::Call;
using coordinator_internal::ClosureQueue;
using coordinator_internal::LostServers;
using coordinator_internal::Resource;
using coordinator_internal::ResourceId;
using coordinator_internal::WorkerConnection;

// The queue, and the connections that feed it.
class ClusterCoordinator::Cluster {
 public:
  explicit Cluster(ParameterServerStrategy& strategy)
      : strategy_(strategy),
        parts_(strategy.parts()),
        queue_({.allowed_worker_losses = parts_.allowed_worker_losses,
                .first_number = parts_.next_closure}),
        ear_(parts_.lost_servers,
             [this](const rpc::PeerLost& lost) { queue_.ServerLost(lost); }) {
    int index = 0;
    for (const WorkerAddress& worker : parts_.cluster.workers) {
      workers_.emplace_back(index++, worker, parts_.control, queue_,
                            [this] { CountFinished(); });
    }
    const Deadline deadline =
        Deadline::clock::now() + parts_.control.join_timeout;
    for (WorkerConnection& worker : workers_) worker.AwaitFirst(deadline);
  }

  ~Cluster() {
    queue_.Stop();
    parts_.next_closure = queue_.next_number();
  }

  ParameterServerStrategy& strategy() { return strategy_; }
  ClosureQueue& queue() { return queue_; }

  // Lets servers forget the replies of finished closures.
  void TellFinished() {
    std::lock_guard lock(finished_mutex_);
    try {
      parts_.client->SetFinished(queue_.finished_below());
    } catch (const Error&) {
      // A server is lost, which the queue hears of by itself.
    }
  }

 private:
  // A few closures at a time: it is a message to each server.
  void CountFinished() {
    constexpr uint64_t kTogether = 64;
    if (++num_finished_ % kTogether == 0) TellFinished();
  }

  ParameterServerStrategy& strategy_;
  ParameterServerStrategy::Parts& parts_;
  std::atomic<uint64_t> num_finished_{0};
  std::mutex finished_mutex_;
  ClosureQueue queue_;
  std::deque<WorkerConnection> workers_;
  const LostServers::Ear ear_;
};

namespace {

Call MakeCall(const std::string& function, const PositionalArguments& arguments,
              const NamedArguments& named) {
  Call call{.function = function};
  for (size_t i = 0; i < arguments.size(); ++i) {
    call.arguments.push_back(arguments[i].Checked(std::to_string(i), function));
  }
  for (const auto& [name, argument] : named) {
    call.named_arguments.emplace(name,
                                 argument.Checked("'" + name + "'", function));
  }
  return call;
}

ParameterServerStrategy& OfCoordinator(ParameterServerStrategy& strategy) {
  if (strategy.is_coordinator()) return strategy;
  throw FailedPrecondition(
      "[ClusterCoordinator] is for the coordinator, this is worker {}; call "
      "strategy.Serve()",
      strategy.cluster().index);
}

}  // namespace

ClusterCoordinator::ClusterCoordinator(ParameterServerStrategy& strategy)
    : cluster_(std::make_unique<Cluster>(OfCoordinator(strategy))) {}

ClusterCoordinator::~ClusterCoordinator() = default;

ParameterServerStrategy& ClusterCoordinator::strategy() const {
  return cluster_->strategy();
}

RemoteValue ClusterCoordinator::Schedule(const WorkerFunction& function,
                                         const PositionalArguments& arguments,
                                         const NamedArguments& named) {
  return RemoteValue(
      cluster_->queue().Schedule(MakeCall(function.name, arguments, named)));
}

void ClusterCoordinator::Join() {
  cluster_->queue().Join();
  cluster_->TellFinished();
}

bool ClusterCoordinator::Done() { return cluster_->queue().Done(); }

Structure ClusterCoordinator::Fetch(const Nest<FetchedLeaf>& values) const {
  if (values.is_leaf()) {
    const auto* remote = std::get_if<RemoteValue>(&values.leaf());
    if (remote != nullptr) return remote->Fetch();
    return std::get<Tensor>(values.leaf());
  }
  std::vector<Structure> items;
  for (const Nest<FetchedLeaf>& item : values.items()) {
    items.push_back(Fetch(item));
  }
  return Structure::WithForm(values.kind(), values.keys(), std::move(items));
}

PerWorkerDataset ClusterCoordinator::CreatePerWorkerDataset(
    const WorkerDataset& function) {
  return PerWorkerDataset(
      *this, cluster_->queue().Make({.kind = Resource::kDataset,
                                     .call = {.function = function.name}}));
}

PerWorkerValue ClusterCoordinator::CreatePerWorkerValues(
    const WorkerFunction& function, const PositionalArguments& arguments,
    const NamedArguments& named) {
  return PerWorkerValue(cluster_->queue().Make(
      {.kind = Resource::kValue,
       .call = MakeCall(function.name, arguments, named)}));
}

PerWorkerValue PerWorkerDataset::MakeIterator() const {
  return PerWorkerValue(coordinator_->cluster_->queue().Make(
      {.kind = Resource::kIterator, .dataset = id_}));
}

}  // namespace lockstep
