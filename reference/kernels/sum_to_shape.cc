#include "reference/kernels/sum_to_shape.h"

#include <vector>

#include "reference/base/error.h"
#include "reference/kernels/broadcast_shape.h"
#include "reference/kernels/reduce.h"

namespace lockstep::kernels {

Tensor SumToShape(const Tensor& tensor, const Shape& shape) {
  if (!tensor.defined() ||
      BroadcastShape("SumToShape", tensor.shape(), shape) != tensor.shape()) {
    throw InvalidArgument("[SumToShape] {} does not broadcast to {}",
                          ToString(shape), Describe(tensor));
  }
  if (tensor.shape() == shape) return tensor;
  std::vector<int> stretched;
  const int extra = tensor.rank() - shape.rank();
  for (int i = 0; i < tensor.rank(); ++i) {
    if (i < extra || shape[i - extra] != tensor.dim(i)) stretched.push_back(i);
  }
  return ReduceSum(tensor, stretched, /*keepdims=*/true).Reshape(shape);
}

}  // namespace lockstep::kernels
