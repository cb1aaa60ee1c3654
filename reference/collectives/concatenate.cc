#include "reference/collectives/concatenate.h"

#include <cstring>
#include <string>

#include "reference/base/error.h"

namespace lockstep {
namespace {

int CheckedAxis(const std::vector<Tensor>& parts, int axis) {
  if (parts.empty()) throw InvalidArgument("[Gather] there are no values");
  const int rank = parts[0].rank();
  if (rank == 0) {
    throw InvalidArgument("[Gather] can't concatenate scalars, got {}",
                          Describe(parts[0]));
  }
  if (axis < -rank || axis >= rank) {
    throw InvalidArgument("[Gather] axis must lie in [{}, {}), got {}", -rank,
                          rank, axis);
  }
  return axis < 0 ? axis + rank : axis;
}

void CheckFits(const Tensor& first, const Tensor& part, size_t index,
               int axis) {
  if (part.dtype() != first.dtype() || part.rank() != first.rank()) {
    throw InvalidArgument(
        "[Gather] values must have one dtype and rank; value 0 is {}, value "
        "{} is {}",
        Describe(first), index, Describe(part));
  }
  for (int i = 0; i < first.rank(); ++i) {
    if (i == axis || part.dim(i) == first.dim(i)) continue;
    throw InvalidArgument(
        "[Gather] dimension {} must be equal in all values; value 0 is {}, "
        "value {} is {}",
        i, Describe(first), index, Describe(part));
  }
}

// Copies `rows` runs of `run` elements, one every `stride` elements of `to`.
template <typename T>
void CopyRuns(const T* from, T* to, int64_t rows, int64_t run, int64_t stride) {
  for (int64_t row = 0; row < rows; ++row) {
    std::copy_n(from + row * run, run, to + row * stride);
  }
}

}  // namespace

Tensor Concatenate(const std::vector<Tensor>& parts, int axis, Device& device) {
  axis = CheckedAxis(parts, axis);
  int64_t joined = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    CheckFits(parts[0], parts[i], i, axis);
    joined += parts[i].dim(axis);
  }
  const Shape shape = parts[0].shape().WithDim(axis, joined);
  Tensor result = Tensor::Empty(shape, parts[0].dtype(), device);
  int64_t rows = 1;
  int64_t inner = 1;
  for (int i = 0; i < axis; ++i) rows *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  int64_t offset = 0;
  VisitDType(result.dtype(), [&]<typename T>() {
    for (const Tensor& part : parts) {
      const int64_t run = part.dim(axis) * inner;
      CopyRuns(part.data<T>(), result.mutable_data<T>() + offset, rows, run,
               joined * inner);
      offset += run;
    }
  });
  return result;
}

}  // namespace lockstep
