#include "reference/collectives/cross_device_ops.h"

#include <algorithm>
#include <set>
#include <utility>

#include "reference/base/error.h"
#include "reference/collectives/reduction.h"

namespace lockstep {

namespace collectives_internal {

std::vector<Tensor> Reachable(const std::vector<Tensor>& values,
                              Device& device) {
  std::vector<Tensor> reachable;
  reachable.reserve(values.size());
  for (const Tensor& value : values) {
    const bool there = !value.defined() || &value.device() == &device ||
                       (value.on_host() && device.on_host());
    reachable.push_back(there ? value : value.To(device));
  }
  return reachable;
}

void CheckSameSpecs(const std::vector<Tensor>& first,
                    const std::vector<Tensor>& others, int other) {
  if (first.size() != others.size()) {
    throw InvalidArgument(
        "[Reduce] replicas must reduce the same list; replica 0 has {} "
        "tensors, replica {} has {}",
        first.size(), other, others.size());
  }
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i].shape() == others[i].shape() &&
        first[i].dtype() == others[i].dtype()) {
      continue;
    }
    throw InvalidArgument(
        "[Reduce] all replicas' values must have the same size and shape; "
        "tensor {} is {} on replica 0, {} on replica {}",
        i, Describe(first[i]), Describe(others[i]), other);
  }
}

std::vector<Tensor> EmptyLike(const std::vector<Tensor>& values,
                              Device& device) {
  std::vector<Tensor> empty;
  empty.reserve(values.size());
  for (const Tensor& value : values) {
    empty.push_back(Tensor::Empty(value.shape(), value.dtype(), device));
  }
  return empty;
}

}  // namespace collectives_internal

namespace {

using collectives_internal::CheckSameSpecs;
using collectives_internal::EmptyLike;
using collectives_internal::Reachable;

}  // namespace

Tensor ReduceTo(Device& destination, ReduceOp op,
                const std::vector<Tensor>& values) {
  if (values.empty()) throw InvalidArgument("[Reduce] there are no values");
  std::vector<std::vector<Tensor>> inputs;
  std::vector<const std::vector<Tensor>*> from;
  std::vector<Reduction::Source> sources;
  // Values of GPUs are added up there; only the sum goes to the host.
  Device& on = destination.on_host() && !values[0].on_host()
                   ? values[0].device()
                   : destination;
  for (const Tensor& value : values) {
    CheckSameSpecs({values[0]}, {value}, static_cast<int>(inputs.size()));
    sources.push_back({.input = true, .rank = static_cast<int>(inputs.size())});
    inputs.push_back(PrepareForReduce(op, value.on_host() == on.on_host()
                                              ? std::vector<Tensor>{value}
                                              : Reachable({value}, on)));
  }
  for (const std::vector<Tensor>& input : inputs) from.push_back(&input);
  std::vector<Tensor> output = EmptyLike(inputs[0], on);
  const Reduction reduction(op, std::move(from), {&output});
  reduction.Sum(sources, {0}, reduction.divisor());
  return output[0].To(destination);
}

std::vector<Tensor> BroadcastTo(const std::vector<Device*>& devices,
                                const Tensor& value) {
  std::vector<Tensor> copies;
  copies.reserve(devices.size());
  for (Device* device : devices) {
    copies.push_back(device == &value.device() ? value : value.Clone(*device));
  }
  return copies;
}

int SharedMemoryAllReduce::rounds(int /*ranks*/) const { return 1; }

void SharedMemoryAllReduce::RunRound(int /*round*/, int rank,
                                     const Reduction& reduction) const {
  std::vector<Reduction::Source> from;
  std::vector<int> to;
  for (int r = 0; r < reduction.ranks(); ++r) {
    from.push_back({.input = true, .rank = r});
    to.push_back(r);
  }
  reduction.Sum(from, to, reduction.divisor(), rank, reduction.ranks());
}

int ReductionToOneDevice::rounds(int ranks) const { return ranks == 1 ? 1 : 2; }

void ReductionToOneDevice::RunRound(int round, int rank,
                                    const Reduction& reduction) const {
  if (round == 1) {
    if (rank != 0) reduction.Sum({{.input = false, .rank = 0}}, {rank}, 1);
    return;
  }
  if (rank != 0) return;
  std::vector<Reduction::Source> from;
  for (int r = 0; r < reduction.ranks(); ++r) {
    from.push_back({.input = true, .rank = r});
  }
  reduction.Sum(from, {0}, reduction.divisor());
}

namespace {

// The smallest number whose square is at least `ranks`.
int GroupSize(int ranks) {
  int size = 1;
  while (size * size < ranks) ++size;
  return size;
}

void SumGroup(int leader, int group, const Reduction& reduction) {
  std::vector<Reduction::Source> from;
  const int end = std::min(leader + group, reduction.ranks());
  for (int r = leader; r < end; ++r) from.push_back({.input = true, .rank = r});
  reduction.Sum(from, {leader}, 1);
}

void SumLeaders(int group, const Reduction& reduction) {
  std::vector<Reduction::Source> from;
  for (int r = 0; r < reduction.ranks(); r += group) {
    from.push_back({.input = false, .rank = r});
  }
  reduction.Sum(from, {0}, reduction.divisor());
}

}  // namespace

int HierarchicalCopyAllReduce::rounds(int /*ranks*/) const { return 4; }

void HierarchicalCopyAllReduce::RunRound(int round, int rank,
                                         const Reduction& reduction) const {
  const int group = GroupSize(reduction.ranks());
  const int leader = rank / group * group;
  const bool leads = rank == leader;
  if (round == 0 && leads) SumGroup(leader, group, reduction);
  if (round == 1 && rank == 0) SumLeaders(group, reduction);
  if (round == 2 && leads && rank != 0) {
    reduction.Sum({{.input = false, .rank = 0}}, {rank}, 1);
  }
  if (round == 3 && !leads) {
    reduction.Sum({{.input = false, .rank = leader}}, {rank}, 1);
  }
}

CrossDeviceOpsKind ChooseCrossDeviceOps(
    std::span<const int> gpus, const std::optional<NcclFeatures>& nccl) {
  const std::set<int> used(gpus.begin(), gpus.end());
  if (used.size() <= 1) return CrossDeviceOpsKind::kSharedMemory;
  const bool alone = used.size() == gpus.size();
  if (nccl && (alone || nccl->AllowsManyRanksPerGpu())) {
    return CrossDeviceOpsKind::kNccl;
  }
  return CrossDeviceOpsKind::kHierarchicalCopy;
}

}  // namespace lockstep
