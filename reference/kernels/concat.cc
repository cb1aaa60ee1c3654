#include "reference/kernels/concat.h"

#include <algorithm>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

// The shape of the result; checks that the tensors agree elsewhere.
Shape ConcatShape(std::span<const Tensor> tensors, int axis) {
  const Tensor& first = tensors[0];
  int64_t total = 0;
  for (const Tensor& tensor : tensors) {
    if (!tensor.defined() || tensor.dtype() != first.dtype() ||
        tensor.rank() != first.rank() ||
        tensor.shape().WithDim(axis, 0) != first.shape().WithDim(axis, 0)) {
      throw InvalidArgument("[Concat] {} does not continue {} along axis {}",
                            Describe(tensor), Describe(first), axis);
    }
    total += tensor.dim(axis);
  }
  return first.shape().WithDim(axis, total);
}

}  // namespace

Tensor Concat(std::span<const Tensor> tensors, int axis) {
  if (tensors.empty()) throw InvalidArgument("[Concat] got no tensors");
  axis = kernels_internal::NormalizeAxis("Concat", axis, tensors[0].rank());
  const Shape shape = ConcatShape(tensors, axis);
  for (const Tensor& tensor : tensors) OnGpu("Concat", tensors[0], tensor);
  if (!tensors[0].on_host()) return gpu::Concat(tensors, axis, shape);
  Tensor out = EmptyOnHost(shape, tensors[0].dtype());
  const int64_t outer = Shape(shape.dims().first(axis)).num_elements();
  const int64_t inner = Shape(shape.dims().subspan(axis + 1)).num_elements();
  VisitDType(out.dtype(), [&]<typename T>() {
    T* to = out.mutable_data<T>();
    for (int64_t i = 0; i < outer; ++i) {
      for (const Tensor& tensor : tensors) {
        const int64_t run = tensor.dim(axis) * inner;
        to = std::copy_n(tensor.data<T>() + i * run, run, to);
      }
    }
  });
  return out;
}

}  // namespace lockstep::kernels
