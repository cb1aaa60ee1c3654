#include "reference/data/rebatch.h"

#include <algorithm>
#include <string>

#include "reference/base/error.h"
#include "reference/data/ragged/ragged.h"

namespace lockstep::data_internal {
namespace {

[[noreturn]] void FailScalar(const std::string& leaf) {
  throw InvalidArgument(
      "[DistributeDataset] elements need a batch axis to be divided among "
      "replicas, got {}. You can fix the issue by adding the `batch` "
      "transformation to the dataset",
      leaf);
}

}  // namespace

RowRange RowsOfPart(int64_t rows, int64_t parts, int64_t part) {
  const int64_t share = rows / parts + (rows % parts != 0 ? 1 : 0);
  const int64_t begin = std::min(share * part, rows);
  return {begin, std::min(begin + share, rows)};
}

void CheckBatched(const Structure& element) {
  element.ForEach([](const Tensor& leaf) {
    if (leaf.rank() == 0) FailScalar(Describe(leaf));
  });
}

Structure SubBatch(const Structure& batch, int64_t replicas, int64_t replica) {
  return MapComponents(
      batch,
      [&](const Tensor& leaf) {
        if (leaf.rank() == 0) FailScalar(Describe(leaf));
        const auto [begin, end] = RowsOfPart(leaf.dim(0), replicas, replica);
        return leaf.Slice(begin, end);
      },
      [&](const Structure& ragged) {
        const auto [begin, end] =
            RowsOfPart(RaggedRows(ragged), replicas, replica);
        return RaggedSlice(ragged, begin, end);
      });
}

SpecStructure SubBatchSpec(const SpecStructure& batch, int64_t replicas) {
  return MapComponents(
      batch,
      [&](const TensorSpec& leaf) {
        if (leaf.shape.rank() == 0) FailScalar(ToString(leaf));
        const int64_t rows = leaf.shape[0];
        const bool even = rows != kUnknownDim && rows % replicas == 0;
        return TensorSpec{
            leaf.shape.WithDim(0, even ? rows / replicas : kUnknownDim),
            leaf.dtype};
      },
      [](const SpecStructure& ragged) {
        return ragged.Map<TensorSpec>([](const TensorSpec& leaf) {
          return TensorSpec{leaf.shape.WithDim(0, kUnknownDim), leaf.dtype};
        });
      });
}

Structure EmptyLike(const Structure& example) {
  return MapComponents(
      example,
      [](const Tensor& leaf) {
        if (leaf.rank() == 0) FailScalar(Describe(leaf));
        return leaf.Slice(0, 0);
      },
      [](const Structure& ragged) { return RaggedSlice(ragged, 0, 0); });
}

}  // namespace lockstep::data_internal
