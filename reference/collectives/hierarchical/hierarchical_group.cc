// How it works. An all-reduce over two workers with two replicas each:
//
//               worker 0                           worker 1
//          r0            r1                   r2            r3
//          |_ Contribute _|                   |_ Contribute _|
//          r0.sums                            r2.sums
//          |________ Exchange: one all-reduce _______|
//          r0.totals                          r2.totals
//          |___ Share ___                     |___ Share ___
//          r0            r1                   r2            r3
//
// Before and after the exchange all replicas' threads work at once, each on its
// share of the elements. The exchange is on the first replica's thread, for its
// worker.
//
//                   Contribute           Exchange             after Share
//   AllReduce       sum                  all-reduce of sums   divide for a mean
//   ReduceScatter   sum into buffers,    reduce-scatter of    this replica's
//                   one per worker       the buffers          slice (mean: divided)
//   AllGather       -                    all-gather of all    the whole list
//                                        replicas' lists
//   Broadcast       check the root       broadcast from the   copy
//                                        root's worker
//   Barrier         -                    all-gather, empty    -
#include "reference/collectives/hierarchical/hierarchical_group.h"

#include <fmt/core.h>

#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/trace.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/hierarchical/part_buffers.h"
#include "reference/collectives/hierarchical/replica_meeting.h"
#include "reference/collectives/reduction.h"

namespace lockstep {
namespace {

using collectives_internal::CheckParts;
using collectives_internal::CheckSameSpecs;
using collectives_internal::EmptyLike;
using collectives_internal::ExchangeParts;
using collectives_internal::LocalReplicas;
using collectives_internal::MakePartBuffers;
using collectives_internal::Reachable;
using collectives_internal::ReplicaData;
using collectives_internal::ReplicaMeeting;
using collectives_internal::TakePart;

class HierarchicalGroup final : public Group {
 public:
  HierarchicalGroup(const Topology& topology, LocalIndex replica,
                    std::shared_ptr<LocalReplicas> replicas)
      : topology_(topology),
        replica_(replica),
        replicas_(std::move(replicas)),
        algorithm_(fmt::format("HierarchicalAllReduce({})",
                               replicas_->workers().algorithm())) {}

  int rank() const override { return topology_.GlobalId(replica_).value(); }
  int size() const override { return topology_.num_replicas_in_sync(); }
  std::string_view algorithm() const override { return algorithm_; }

  Pending<TensorList> AllReduce(ReduceOp op, const TensorList& values,
                                const CollectiveOptions& options) override;
  Pending<Tensor> ReduceScatter(ReduceOp op, const TensorList& parts,
                                const CollectiveOptions& options) override;
  Pending<std::vector<TensorList>> AllGather(
      const TensorList& values, const CollectiveOptions& options) override;
  Pending<TensorList> Broadcast(const TensorList& values, int root,
                                const CollectiveOptions& options) override;
  void Barrier(const CollectiveOptions& options) override;
  void Abort() override { replicas_->Abort(); }
  void Check() const override { replicas_->workers().Check(); }

 private:
  // This replica's share of leader().sums, and of leader().results.
  void SumHere(const ReplicaMeeting& meeting) const;
  void DivideTotals(const ReplicaMeeting& meeting) const;

  std::vector<TensorList> ByReplica(
      const std::vector<TensorList>& workers) const;
  void CheckRoot(int root) const;

  const Topology topology_;
  const LocalIndex replica_;
  const std::shared_ptr<LocalReplicas> replicas_;
  const std::string algorithm_;
};

int64_t TotalBytes(const TensorList& tensors) {
  int64_t bytes = 0;
  for (const Tensor& tensor : tensors) {
    bytes += static_cast<int64_t>(tensor.bytes());
  }
  return bytes;
}

TensorList ToCurrentDevice(const TensorList& values) {
  TensorList moved;
  for (const Tensor& value : values) {
    moved.push_back(value.To(Device::Current()));
  }
  return moved;
}

// The error of `prepare`, which the contribution throws: the other replicas
// wait for this one, whether its values can be reduced or not.
std::exception_ptr ErrorOf(const std::function<void()>& prepare) {
  try {
    prepare();
    return nullptr;
  } catch (const Error&) {
    return std::current_exception();
  }
}

void HierarchicalGroup::SumHere(const ReplicaMeeting& meeting) const {
  std::vector<const TensorList*> from;
  std::vector<Reduction::Source> sources;
  for (int replica = 0; replica < meeting.size(); ++replica) {
    const TensorList* values = meeting.data(replica).values;
    CheckSameSpecs(*meeting.leader().values, *values, replica);
    sources.push_back({.input = true, .rank = replica});
    from.push_back(values);
  }
  const Reduction sum(ReduceOp::kSum, std::move(from),
                      {&meeting.leader().sums});
  sum.Sum(sources, {0}, 1, replica_, meeting.size());
}

void HierarchicalGroup::DivideTotals(const ReplicaMeeting& meeting) const {
  const Reduction division(ReduceOp::kMean, {&meeting.leader().totals},
                           {&meeting.leader().results});
  division.Sum({{.input = true, .rank = 0}}, {0}, size(), replica_,
               meeting.size());
}

// The memory of the totals. A tensor that shares its memory gets other memory:
// a group of one returns its input.
TensorList ToDivideInto(const TensorList& totals) {
  TensorList results;
  for (const Tensor& total : totals) {
    results.push_back(total.unique() ? total
                                     : EmptyLike({total}, total.device())[0]);
  }
  return results;
}

// The sums of all workers. A mean appends an empty tensor, so that workers
// detect a mismatched operation.
TensorList SumOverWorkers(Group& workers, ReduceOp op, TensorList sums,
                          const CollectiveOptions& options) {
  const size_t count = sums.size();
  if (op == ReduceOp::kMean) {
    sums.push_back(Tensor::Empty(Shape{0}, DType::kFloat32, Device::Current()));
  }
  TensorList totals = workers.AllReduce(ReduceOp::kSum, sums, options).Wait();
  totals.resize(count);
  return totals;
}

Pending<TensorList> HierarchicalGroup::AllReduce(
    ReduceOp op, const TensorList& values, const CollectiveOptions& options) {
  if (size() == 1) return Pending(PrepareForReduce(op, values));
  const TraceSpan span("AllReduce", "communication");
  if (span.wanted()) span.set_bytes(TotalBytes(values));
  TensorList inputs;
  const std::exception_ptr error = ErrorOf([&] {
    inputs = PrepareForReduce(op, Reachable(values, Device::Current()));
  });
  const bool alone = replicas_->size() == 1;
  ReplicaData mine = {.values = &inputs};
  if (replica_ == 0) {
    mine.sums = alone ? inputs : EmptyLike(inputs, Device::Current());
  }

  ReplicaMeeting meeting(*replicas_, replica_,
                         {.operation = "AllReduce",
                          .parameter = static_cast<int>(op),
                          .deadline = options.deadline},
                         mine);
  meeting.Contribute([&] {
    if (error) std::rethrow_exception(error);
    if (!alone) SumHere(meeting);
  });
  if (meeting.leading()) {
    meeting.Exchange([&](Group& workers, const CollectiveOptions& between) {
      mine.totals =
          SumOverWorkers(workers, op, std::exchange(mine.sums, {}), between);
      mine.results =
          op == ReduceOp::kMean ? ToDivideInto(mine.totals) : mine.totals;
    });
  }
  meeting.Share();
  if (op == ReduceOp::kMean) DivideTotals(meeting);
  const TensorList results = meeting.leader().results;
  meeting.Finish();
  return Pending(ToCurrentDevice(results));
}

Pending<Tensor> HierarchicalGroup::ReduceScatter(
    ReduceOp op, const TensorList& parts, const CollectiveOptions& options) {
  TensorList inputs;
  TensorList buffers;  // the leader's
  ReplicaData mine = {.values = &inputs};
  const std::exception_ptr error = ErrorOf([&] {
    inputs = PrepareForReduce(op, Reachable(parts, Device::Current()));
    CheckParts(topology_, inputs);
    if (replica_ == 0) buffers = MakePartBuffers(topology_, inputs, &mine.sums);
  });

  ReplicaMeeting meeting(*replicas_, replica_,
                         {.operation = "ReduceScatter",
                          .parameter = static_cast<int>(op),
                          .deadline = options.deadline},
                         mine);
  meeting.Contribute([&] {
    if (error) std::rethrow_exception(error);
    SumHere(meeting);
  });
  if (meeting.leading()) {
    meeting.Exchange([&](Group& workers, const CollectiveOptions& between) {
      mine.totals = {ExchangeParts(workers, op, buffers, between)};
    });
  }
  meeting.Share();
  Tensor result =
      TakePart(op, topology_, replica_, meeting.leader().totals[0], inputs);
  meeting.Finish();
  return Pending(std::move(result));
}

// How many tensors each replica of this worker has, and then all of them.
TensorList WithCounts(const ReplicaMeeting& meeting) {
  std::vector<int64_t> counts;
  TensorList list(1);
  for (int replica = 0; replica < meeting.size(); ++replica) {
    const TensorList& values = *meeting.data(replica).values;
    counts.push_back(std::ssize(values));
    list.insert(list.end(), values.begin(), values.end());
  }
  list[0] =
      Tensor::FromVector(counts, Shape{std::ssize(counts)}, Device::Host());
  return list;
}

std::vector<TensorList> HierarchicalGroup::ByReplica(
    const std::vector<TensorList>& workers) const {
  std::vector<TensorList> all;
  for (const TensorList& list : workers) {
    const std::vector<int64_t> counts = list.at(0).ToVector<int64_t>();
    auto next = list.begin() + 1;
    for (const int64_t count : counts) {
      all.emplace_back(next, next + count);
      next += count;
    }
  }
  if (static_cast<int>(all.size()) == size()) return all;
  throw FailedPrecondition(
      "[AllGather] workers disagree: got lists of {} replicas, the topology "
      "has "
      "{}",
      all.size(), size());
}

Pending<std::vector<TensorList>> HierarchicalGroup::AllGather(
    const TensorList& values, const CollectiveOptions& options) {
  ReplicaData mine = {.values = &values};
  ReplicaMeeting meeting(
      *replicas_, replica_,
      {.operation = "AllGather", .deadline = options.deadline}, mine);
  if (meeting.leading()) {
    meeting.ExchangeLists([&] { return WithCounts(meeting); });
  }
  meeting.Share();
  std::vector<TensorList> all = ByReplica(meeting.leader().gathered);
  meeting.Finish();
  return Pending(std::move(all));
}

void HierarchicalGroup::CheckRoot(int root) const {
  if (root >= 0 && root < size()) return;
  throw InvalidArgument("[Broadcast] root must be a rank, 0 to {}, got {}",
                        size() - 1, root);
}

Pending<TensorList> HierarchicalGroup::Broadcast(
    const TensorList& values, int root, const CollectiveOptions& options) {
  ReplicaData mine = {.values = &values};
  ReplicaMeeting meeting(*replicas_, replica_,
                         {.operation = "Broadcast",
                          .parameter = root,
                          .deadline = options.deadline},
                         mine);
  meeting.Contribute([&] { CheckRoot(root); });
  if (meeting.leading()) {
    meeting.Exchange([&](Group& workers, const CollectiveOptions& between) {
      const auto at = topology_.FindLocal(ReplicaId(root));
      const int worker = topology_.WorkerOf(ReplicaId(root)).value();
      mine.totals =
          workers
              .Broadcast(at ? *meeting.data(*at).values : TensorList(), worker,
                         between)
              .Wait();
    });
  }
  meeting.Share();
  TensorList results = rank() == root ? values : meeting.leader().totals;
  meeting.Finish();
  return Pending(rank() == root ? results : ToCurrentDevice(results));
}

void HierarchicalGroup::Barrier(const CollectiveOptions& options) {
  ReplicaData mine;
  ReplicaMeeting meeting(*replicas_, replica_,
                         {.operation = "Barrier", .deadline = options.deadline},
                         mine);
  if (meeting.leading()) {
    meeting.ExchangeLists([] { return TensorList(); });
  }
  meeting.Share();
  meeting.Finish();
}

}  // namespace

std::vector<std::unique_ptr<Group>> MakeHierarchicalGroups(
    const Topology& topology, std::shared_ptr<Rendezvous> here,
    std::shared_ptr<WorkerGroup> workers) {
  auto replicas =
      std::make_shared<LocalReplicas>(std::move(here), std::move(workers));
  std::vector<std::unique_ptr<Group>> groups;
  for (LocalIndex r(0); r < topology.num_local_replicas(); ++r) {
    groups.push_back(
        std::make_unique<HierarchicalGroup>(topology, r, replicas));
  }
  return groups;
}

}  // namespace lockstep
