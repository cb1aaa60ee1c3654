// How it works. An all-reduce over two workers with two replicas each:
//
//        worker 0                             worker 1
//   r0            r1                     r2            r3
//   |____ here ____|                     |____ here ____|
//   r0.sums                              r2.sums
//   |_______ across: one all-reduce _____|
//   r0.totals                            r2.totals
//   |____ take ____                      |____ take ____
//   r0            r1                     r2            r3
//
// `here` and `take` run on all replicas' threads at once, each with its share
// of the elements; `across` on the first replica's, for its worker
// (replica_meeting.cc has the order of events).
//
//                   here                 across               take
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
using collectives_internal::MakePartBuffers;
using collectives_internal::Reachable;
using collectives_internal::ReplicaMeeting;
using collectives_internal::TakePart;
using Frame = ReplicaMeeting::Frame;
using Frames = ReplicaMeeting::Frames;

class HierarchicalGroup final : public Group {
 public:
  HierarchicalGroup(const Topology& topology, LocalIndex replica,
                    std::shared_ptr<ReplicaMeeting> meeting)
      : topology_(topology),
        replica_(replica),
        meeting_(std::move(meeting)),
        algorithm_(fmt::format("HierarchicalAllReduce({})",
                               meeting_->workers().algorithm())) {}

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
  void Abort() override { meeting_->Abort(); }
  void Check() const override { meeting_->workers().Check(); }

 private:
  int first_here() const { return topology_.GlobalId(LocalIndex(0)).value(); }
  // The replicas' sums, into those of the first one.
  void SumHere(const Frames& frames) const;
  // What each replica has a part of: from[0]'s results, totals over all.
  void DivideTotals(const Frames& frames) const;
  TensorList OnMyDevice(const TensorList& values) const;
  TensorList WithCounts(const Frames& frames) const;
  std::vector<TensorList> ByReplica(std::vector<TensorList> workers) const;

  const Topology topology_;
  const LocalIndex replica_;
  const std::shared_ptr<ReplicaMeeting> meeting_;
  const std::string algorithm_;
};

// The values as they are reduced, or why they cannot be: thrown when all have
// come.
std::exception_ptr Prepare(ReduceOp op, const TensorList& values,
                           TensorList& prepared) {
  try {
    prepared = PrepareForReduce(op, Reachable(values, Device::Current()));
    return nullptr;
  } catch (const Error&) {
    return std::current_exception();
  }
}

int64_t TotalBytes(const TensorList& tensors) {
  int64_t bytes = 0;
  for (const Tensor& tensor : tensors) {
    bytes += static_cast<int64_t>(tensor.bytes());
  }
  return bytes;
}

void HierarchicalGroup::SumHere(const Frames& frames) const {
  std::vector<const TensorList*> from;
  std::vector<Reduction::Source> sources;
  for (const Frame* frame : frames) {
    CheckSameSpecs(*frames[0]->values, *frame->values,
                   static_cast<int>(from.size()));
    sources.push_back({.input = true, .rank = static_cast<int>(from.size())});
    from.push_back(frame->values);
  }
  const Reduction sum(ReduceOp::kSum, std::move(from), {&frames[0]->sums});
  sum.Sum(sources, {0}, 1, replica_, meeting_->replicas());
}

void HierarchicalGroup::DivideTotals(const Frames& frames) const {
  const Reduction division(ReduceOp::kMean, {&frames[0]->totals},
                           {&frames[0]->results});
  division.Sum({{.input = true, .rank = 0}}, {0}, size(), replica_,
               meeting_->replicas());
}

TensorList HierarchicalGroup::OnMyDevice(const TensorList& values) const {
  TensorList mine;
  for (const Tensor& value : values) {
    mine.push_back(value.To(Device::Current()));
  }
  return mine;
}

// The totals' own memory, but where another tensor shares it, as a group of one
// returns what it was given.
TensorList ToDivideInto(const TensorList& totals) {
  TensorList results;
  for (const Tensor& total : totals) {
    results.push_back(total.unique() ? total
                                     : EmptyLike({total}, total.device())[0]);
  }
  return results;
}

// A mean appends an empty tensor, so that workers detect a mismatched
// operation.
TensorList WithOpMarker(ReduceOp op, TensorList sums) {
  if (op == ReduceOp::kMean) {
    sums.push_back(Tensor::Empty(Shape{0}, DType::kFloat32, Device::Current()));
  }
  return sums;
}

Pending<TensorList> HierarchicalGroup::AllReduce(
    ReduceOp op, const TensorList& values, const CollectiveOptions& options) {
  if (size() == 1) return Pending(PrepareForReduce(op, values));
  const TraceSpan span("AllReduce", "communication");
  if (span.wanted()) span.set_bytes(TotalBytes(values));
  TensorList inputs;
  const std::exception_ptr unfit = Prepare(op, values, inputs);
  Frame mine = {.values = &inputs, .deadline = options.deadline};
  const bool alone = meeting_->replicas() == 1;
  if (replica_ == 0) {
    mine.sums = alone ? inputs : EmptyLike(inputs, Device::Current());
  }
  TensorList results;
  const auto here = [&](const Frames& frames) {
    if (unfit) std::rethrow_exception(unfit);
    if (!alone) SumHere(frames);
  };
  const auto across = [&](const Frames&, const WorkerGroup::Call& call,
                          const std::optional<Error>& failed) {
    meeting_->workers().Run(
        call, failed, [&](Group& group, const CollectiveOptions& between) {
          TensorList sums = WithOpMarker(op, std::exchange(mine.sums, {}));
          mine.totals = group.AllReduce(ReduceOp::kSum, sums, between).Wait();
          mine.totals.resize(inputs.size());
        });
    mine.results =
        op == ReduceOp::kMean ? ToDivideInto(mine.totals) : mine.totals;
  };
  const auto take = [&](const Frames& frames) {
    if (op == ReduceOp::kMean) DivideTotals(frames);
    results = frames[0]->results;
  };
  meeting_->Meet(replica_,
                 {.operation = "AllReduce",
                  .parameter = static_cast<int>(op),
                  .here = here,
                  .across = across,
                  .take = take},
                 mine);
  return Pending(OnMyDevice(results));
}

Pending<Tensor> HierarchicalGroup::ReduceScatter(
    ReduceOp op, const TensorList& parts, const CollectiveOptions& options) {
  TensorList inputs;
  TensorList buffers;  // the first one's
  std::exception_ptr unfit = Prepare(op, parts, inputs);
  Frame mine = {.values = &inputs, .deadline = options.deadline};
  try {
    if (!unfit) CheckParts(topology_, inputs);
    if (!unfit && replica_ == 0) {
      buffers = MakePartBuffers(topology_, inputs, &mine.sums);
    }
  } catch (const Error&) {
    unfit = std::current_exception();
  }
  Tensor result;
  const auto here = [&](const Frames& frames) {
    if (unfit) std::rethrow_exception(unfit);
    SumHere(frames);
  };
  const auto across = [&](const Frames&, const WorkerGroup::Call& call,
                          const std::optional<Error>& failed) {
    meeting_->workers().Run(
        call, failed, [&](Group& group, const CollectiveOptions& between) {
          mine.totals = {ExchangeParts(group, op, buffers, between)};
        });
  };
  const auto take = [&](const Frames& frames) {
    result = TakePart(op, topology_, replica_, frames[0]->totals[0], inputs);
  };
  meeting_->Meet(replica_,
                 {.operation = "ReduceScatter",
                  .parameter = static_cast<int>(op),
                  .here = here,
                  .across = across,
                  .take = take},
                 mine);
  return Pending(std::move(result));
}

// How many tensors each replica here brings, and then all of them.
TensorList HierarchicalGroup::WithCounts(const Frames& frames) const {
  std::vector<int64_t> counts;
  TensorList list(1);
  for (const Frame* frame : frames) {
    counts.push_back(std::ssize(*frame->values));
    list.insert(list.end(), frame->values->begin(), frame->values->end());
  }
  list[0] =
      Tensor::FromVector(counts, Shape{std::ssize(counts)}, Device::Host());
  return list;
}

std::vector<TensorList> HierarchicalGroup::ByReplica(
    std::vector<TensorList> workers) const {
  std::vector<TensorList> all;
  for (TensorList& list : workers) {
    const std::vector<int64_t> counts = list.at(0).ToVector<int64_t>();
    auto next = list.begin() + 1;
    for (const int64_t count : counts) {
      all.emplace_back(next, next + count);
      next += count;
    }
  }
  if (static_cast<int>(all.size()) == size()) return all;
  throw FailedPrecondition(
      "[AllGather] workers disagree: {} replicas have brought something, the "
      "topology has {}",
      all.size(), size());
}

Pending<std::vector<TensorList>> HierarchicalGroup::AllGather(
    const TensorList& values, const CollectiveOptions& options) {
  Frame mine = {.values = &values, .deadline = options.deadline};
  std::vector<TensorList> all;
  const auto across = [&](const Frames& frames, const WorkerGroup::Call& call,
                          const std::optional<Error>&) {
    mine.gathered = ByReplica(meeting_->workers().AllGather(
        call, [&] { return WithCounts(frames); }));
  };
  const auto take = [&](const Frames& frames) { all = frames[0]->gathered; };
  meeting_->Meet(replica_,
                 {.operation = "AllGather",
                  .parameter = 0,
                  .here = nullptr,
                  .across = across,
                  .take = take},
                 mine);
  return Pending(std::move(all));
}

Pending<TensorList> HierarchicalGroup::Broadcast(
    const TensorList& values, int root, const CollectiveOptions& options) {
  Frame mine = {.values = &values, .deadline = options.deadline};
  TensorList results;
  const auto here = [&](const Frames&) {
    if (root >= 0 && root < size()) return;
    throw InvalidArgument("[Broadcast] root must be a rank, 0 to {}, got {}",
                          size() - 1, root);
  };
  const auto across = [&](const Frames& frames, const WorkerGroup::Call& call,
                          const std::optional<Error>& failed) {
    meeting_->workers().Run(
        call, failed, [&](Group& group, const CollectiveOptions& between) {
          const auto at = topology_.FindLocal(ReplicaId(root));
          mine.totals =
              group
                  .Broadcast(at ? *frames[*at]->values : TensorList(),
                             topology_.WorkerOf(ReplicaId(root)).value(),
                             between)
                  .Wait();
        });
  };
  const auto take = [&](const Frames& frames) {
    results = rank() == root ? values : frames[0]->totals;
  };
  meeting_->Meet(replica_,
                 {.operation = "Broadcast",
                  .parameter = root,
                  .here = here,
                  .across = across,
                  .take = take},
                 mine);
  return Pending(rank() == root ? results : OnMyDevice(results));
}

void HierarchicalGroup::Barrier(const CollectiveOptions& options) {
  Frame mine = {.deadline = options.deadline};
  const auto across = [&](const Frames&, const WorkerGroup::Call& call,
                          const std::optional<Error>&) {
    meeting_->workers().AllGather(call, [] { return TensorList(); });
  };
  meeting_->Meet(replica_,
                 {.operation = "Barrier",
                  .parameter = 0,
                  .here = nullptr,
                  .across = across,
                  .take = [](const Frames&) {}},
                 mine);
}

}  // namespace

std::vector<std::unique_ptr<Group>> MakeHierarchicalGroups(
    const Topology& topology, std::shared_ptr<Rendezvous> here,
    std::shared_ptr<WorkerGroup> workers) {
  auto meeting =
      std::make_shared<ReplicaMeeting>(std::move(here), std::move(workers));
  std::vector<std::unique_ptr<Group>> groups;
  for (LocalIndex r(0); r < topology.num_local_replicas(); ++r) {
    groups.push_back(std::make_unique<HierarchicalGroup>(topology, r, meeting));
  }
  return groups;
}

}  // namespace lockstep
