#include "reference/autodiff/ops/match_ranks.h"

#include <vector>

#include "reference/autodiff/ops/reshape.h"
#include "reference/base/error.h"

namespace lockstep::ops {
namespace {

bool BroadcastsTo(const Shape& shape, const Shape& target) {
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] != 1 && shape[axis] != target[axis]) return false;
  }
  return true;
}

}  // namespace

Tensor SqueezeTo(const Tensor& x, int rank) {
  if (x.rank() != rank + 1 || x.dim(rank) != 1) return x;
  return Reshape(x, Shape(x.shape().dims().first(rank)));
}

Tensor AlignWeights(const char* caller, const Tensor& weights,
                    const Tensor& values) {
  Tensor aligned = Cast(weights, values.dtype());
  if (aligned.rank() == 0) return aligned;
  aligned = SqueezeTo(aligned, values.rank());
  if (aligned.rank() < values.rank()) {
    const auto dims = aligned.shape().dims();
    std::vector<int64_t> padded(dims.begin(), dims.end());
    padded.resize(values.rank(), 1);
    aligned = Reshape(aligned, Shape(padded));
  }
  if (aligned.rank() != values.rank() ||
      !BroadcastsTo(aligned.shape(), values.shape())) {
    throw InvalidArgument(
        "[{}] sample weights of shape {} do not fit values of shape {}", caller,
        ToString(weights.shape()), ToString(values.shape()));
  }
  return aligned;
}

}  // namespace lockstep::ops
