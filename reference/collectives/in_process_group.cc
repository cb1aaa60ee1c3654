#include "reference/collectives/in_process_group.h"

#include <exception>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/base/trace.h"
#include "reference/collectives/gpu_collectives.h"

namespace lockstep {

using collectives_internal::CheckSameSpecs;
using collectives_internal::EmptyLike;
using collectives_internal::Reachable;

namespace {

int64_t TotalBytes(const TensorList& tensors) {
  int64_t bytes = 0;
  for (const Tensor& tensor : tensors) {
    bytes += static_cast<int64_t>(tensor.bytes());
  }
  return bytes;
}

// REQUIRES: lists of the same length, each on one device.
void CheckSameKind(const TensorList& first, const TensorList& other) {
  if (first.empty() || first[0].on_host() == other[0].on_host()) return;
  throw InvalidArgument(
      "[Reduce] replicas must be all CPUs or all GPUs, got values on {} and "
      "on {}",
      first[0].device().name(), other[0].device().name());
}

// Work in a GPU's communication stream. Keeps the inputs until the compute
// stream has waited: it must not reuse memory that the work still reads. Other
// ranks' streams use the memory too; the communication streams wait for each
// other, so one wait covers them.
class OverlappedWork final : public PendingWork {
 public:
  // From here on the communication stream waits for earlier computations.
  OverlappedWork(Device& device, collectives_internal::Overlap& overlap,
                 TensorList inputs)
      : streams_(device.memory()->streams()),
        overlap_(overlap),
        number_(++overlap.begun),
        inputs_(std::move(inputs)) {
    Follow(streams_, DeviceStream::kCommunication, DeviceStream::kCompute);
  }
  ~OverlappedWork() override {
    try {
      Wait();
    } catch (const std::exception& error) {
      // The device has failed; its next use throws.
      LogWarning("a collective was not waited for: {}", error.what());
    }
  }

  void Wait() override {
    if (overlap_.joined >= number_) return;
    Follow(streams_, DeviceStream::kCompute, DeviceStream::kCommunication);
    overlap_.joined = overlap_.begun;
  }

  const TensorList& inputs() const { return inputs_; }

 private:
  DeviceStreams& streams_;
  collectives_internal::Overlap& overlap_;
  const int64_t number_;
  const TensorList inputs_;
};

}  // namespace

InProcessGroup::InProcessGroup(std::shared_ptr<Rendezvous> rendezvous, int rank,
                               std::shared_ptr<const CrossDeviceOps> ops)
    : rendezvous_(std::move(rendezvous)), rank_(rank), ops_(std::move(ops)) {}

// A group of one has no other rank to wait for.
void InProcessGroup::Meet(
    Rendezvous::Call call, const CollectiveOptions& options,
    const std::function<void(const Rendezvous::Calls&)>& body) {
  if (size() == 1) {
    body({&call});
  } else {
    rendezvous_->Meet(rank_, call, options.deadline, body);
  }
}

Pending<TensorList> InProcessGroup::AllReduce(
    ReduceOp op, const TensorList& values, const CollectiveOptions& options) {
  if (size() == 1) return Pending(PrepareForReduce(op, values));
  const TraceSpan span("AllReduce", "communication");
  if (span.wanted()) span.set_bytes(TotalBytes(values));
  Device& device = Device::Current();
  TensorList inputs = PrepareForReduce(op, Reachable(values, device));
  TensorList results = EmptyLike(inputs, device);
  if (!options.overlapped || device.memory() == nullptr) {
    ReduceTogether(op, inputs, results, options);
    return Pending(std::move(results));
  }
  auto work =
      std::make_unique<OverlappedWork>(device, overlap_, std::move(inputs));
  ReduceTogether(op, work->inputs(), results, options);
  return {std::move(results), std::move(work)};
}

void InProcessGroup::ReduceTogether(ReduceOp op, const TensorList& inputs,
                                    TensorList& results,
                                    const CollectiveOptions& options) {
  const Rendezvous::Call call = {.operation = "AllReduce",
                                 .parameter = static_cast<int>(op),
                                 .values = &inputs,
                                 .results = &results};
  const auto reduce = [&](const Rendezvous::Calls& calls) {
    std::vector<const TensorList*> from;
    std::vector<TensorList*> to;
    for (const Rendezvous::Call* other : calls) {
      CheckSameSpecs(*calls[0]->values, *other->values,
                     static_cast<int>(from.size()));
      CheckSameKind(*calls[0]->results, *other->results);
      from.push_back(other->values);
      to.push_back(other->results);
    }
    Reduce(Reduction(op, std::move(from), std::move(to),
                     options.overlapped ? DeviceStream::kCommunication
                                        : DeviceStream::kCompute));
  };
  Meet(call, options, reduce);
}

void InProcessGroup::Reduce(const Reduction& reduction) {
  std::exception_ptr error;
  const int rounds = ops_->rounds(size());
  for (int round = 0; round < rounds; ++round) {
    if (round > 0) rendezvous_->NextRound();
    try {
      if (!error) ops_->RunRound(round, rank_, reduction);
    } catch (...) {
      error = std::current_exception();  // the other ranks wait for every round
    }
  }
  if (error) std::rethrow_exception(error);
}

Pending<Tensor> InProcessGroup::ReduceScatter(
    ReduceOp op, const TensorList& parts, const CollectiveOptions& options) {
  Tensor result;
  const auto reduce = [&](const Rendezvous::Calls& calls) {
    TensorList mine;
    for (const Rendezvous::Call* other : calls) {
      const int got = static_cast<int>(other->values->size());
      if (got != size()) {
        throw InvalidArgument(
            "[ReduceScatter] wanted a part for each of {} ranks, got {} on "
            "rank {}",
            size(), got, mine.size());
      }
      mine.push_back((*other->values)[rank_]);
    }
    result = ReduceTo(Device::Current(), op, mine);
  };
  Meet({.operation = "ReduceScatter",
        .parameter = static_cast<int>(op),
        .values = &parts},
       options, reduce);
  return Pending(std::move(result));
}

Pending<std::vector<TensorList>> InProcessGroup::AllGather(
    const TensorList& values, const CollectiveOptions& options) {
  std::vector<TensorList> all;
  Meet({.operation = "AllGather", .values = &values}, options,
       [&](const Rendezvous::Calls& calls) {
         for (const Rendezvous::Call* call : calls) {
           all.push_back(*call->values);
         }
       });
  return Pending(std::move(all));
}

// All ranks have the same root, so all throw.
void InProcessGroup::CheckRank(const char* operation, int root) const {
  if (root >= 0 && root < size()) return;
  throw InvalidArgument("[{}] root must be a rank, 0 to {}, got {}", operation,
                        size() - 1, root);
}

Pending<TensorList> InProcessGroup::Broadcast(
    const TensorList& values, int root, const CollectiveOptions& options) {
  TensorList results;
  const auto copy = [&](const Rendezvous::Calls& calls) {
    CheckRank("Broadcast", root);
    if (rank_ == root) {
      results = values;
      return;
    }
    for (const Tensor& value : *calls[root]->values) {
      results.push_back(value.Clone(Device::Current()));
    }
  };
  Meet({.operation = "Broadcast", .parameter = root, .values = &values},
       options, copy);
  return Pending(std::move(results));
}

void InProcessGroup::Barrier(const CollectiveOptions& options) {
  Meet({.operation = "Barrier"}, options, [](const Rendezvous::Calls&) {});
}

namespace {

collectives_internal::GpuCollectives& GpuBackend() {
  return collectives_internal::CurrentGpuCollectives("MirroredStrategy");
}

CrossDeviceOpsKind KindFor(const std::vector<Device*>& devices) {
  if (devices[0]->on_host()) return CrossDeviceOpsKind::kSharedMemory;
  std::vector<int> gpus;
  for (const Device* device : devices) {
    gpus.push_back(GpuBackend().PhysicalGpu(*device));
  }
  return ChooseCrossDeviceOps(gpus, GpuBackend().Nccl());
}

std::shared_ptr<const CrossDeviceOps> MakeOps(CrossDeviceOpsKind kind) {
  if (kind == CrossDeviceOpsKind::kHierarchicalCopy) {
    return std::make_shared<HierarchicalCopyAllReduce>();
  }
  return std::make_shared<SharedMemoryAllReduce>();
}

}  // namespace

std::vector<std::unique_ptr<Group>> MakeGroups(
    const std::vector<Device*>& devices,
    std::shared_ptr<const CrossDeviceOps> ops,
    const std::shared_ptr<Rendezvous>& rendezvous) {
  if (!ops) {
    const CrossDeviceOpsKind kind = KindFor(devices);
    if (kind == CrossDeviceOpsKind::kNccl) {
      return GpuBackend().MakeNccl(devices, rendezvous);
    }
    ops = MakeOps(kind);
  }
  std::vector<std::unique_ptr<Group>> groups;
  for (int rank = 0; rank < rendezvous->ranks(); ++rank) {
    groups.push_back(std::make_unique<InProcessGroup>(rendezvous, rank, ops));
  }
  return groups;
}

}  // namespace lockstep
