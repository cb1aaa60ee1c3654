#include "reference/distribute/input/sub_batch.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "reference/base/error.h"

namespace lockstep::distribute_internal {
namespace {

[[noreturn]] void FailScalar(const std::string& leaf) {
  throw InvalidArgument(
      "[DistributeDataset] elements need a batch axis to be divided among "
      "replicas, got {}. You can fix the issue by adding the `batch` "
      "transformation to the dataset",
      leaf);
}

}  // namespace

void CheckBatched(const Structure& element) {
  element.ForEach([](const Tensor& leaf) {
    if (leaf.rank() == 0) FailScalar(Describe(leaf));
  });
}

Structure SubBatch(const Structure& batch, int replicas, int replica) {
  return batch.Map<Tensor>([&](const Tensor& leaf) {
    if (leaf.rank() == 0) FailScalar(Describe(leaf));
    const int64_t rows = leaf.dim(0);
    const int64_t share = rows / replicas + (rows % replicas != 0 ? 1 : 0);
    const int64_t begin = std::min(share * replica, rows);
    return leaf.Slice(begin, std::min(begin + share, rows));
  });
}

std::optional<std::pair<int64_t, int64_t>> FindUnequalRows(
    const Structure& batch) {
  std::optional<int64_t> first, other;
  batch.ForEach([&](const Tensor& leaf) {
    const int64_t rows = leaf.dim(0);
    if (!first) first = rows;
    if (!other && rows != *first) other = rows;
  });
  if (!other) return std::nullopt;
  return std::pair(*first, *other);
}

SpecStructure SubBatchSpec(const SpecStructure& batch, int replicas) {
  return batch.Map<TensorSpec>([&](const TensorSpec& leaf) {
    if (leaf.shape.rank() == 0) FailScalar(ToString(leaf));
    const int64_t rows = leaf.shape[0];
    const bool even = rows != kUnknownDim && rows % replicas == 0;
    return TensorSpec{
        leaf.shape.WithDim(0, even ? rows / replicas : kUnknownDim),
        leaf.dtype};
  });
}

Structure EmptyLike(const Structure& example) {
  return example.Map<Tensor>([](const Tensor& leaf) {
    if (leaf.rank() == 0) FailScalar(Describe(leaf));
    return leaf.Slice(0, 0);
  });
}

}  // namespace lockstep::distribute_internal
