#include "reference/collectives/cross_device_ops.h"

#include <algorithm>
#include <iterator>
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
  if (std::ranges::equal(first, others, {}, SpecOf, SpecOf)) return;
  std::vector<TensorSpec> specs[2];
  std::ranges::transform(first, std::back_inserter(specs[0]), SpecOf);
  std::ranges::transform(others, std::back_inserter(specs[1]), SpecOf);
  CheckSameSpecs(specs[0], specs[1], "replica", other);
}

void CheckSameSpecs(const std::vector<TensorSpec>& first,
                    const std::vector<TensorSpec>& others,
                    std::string_view party, int other) {
  if (first.size() != others.size()) {
    throw InvalidArgument(
        "[Reduce] {0}s must reduce the same list; {0} 0 has {1} tensors, {0} "
        "{2} has {3}",
        party, first.size(), other, others.size());
  }
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i] == others[i]) continue;
    throw InvalidArgument(
        "[Reduce] all {0}s' values must have the same size and shape; tensor "
        "{1} is {2} on {0} 0, {3} on {0} {4}",
        party, i, ToString(first[i]), ToString(others[i]), other);
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
  // GPUs add up their own values; only the sum is copied to the host.
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
