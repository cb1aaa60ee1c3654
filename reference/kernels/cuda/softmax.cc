// The GPU versions of softmax.h.
#include "reference/kernels/softmax.h"

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/softmax_launch.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

int64_t RowsOf(const Tensor& x) {
  const int64_t columns = x.dim(x.rank() - 1);
  return columns == 0 ? 0 : x.num_elements() / columns;
}

Tensor SoftmaxOnGpu(const Tensor& x) {
  Tensor y = Tensor::Empty(x.shape(), x.dtype(), x.device());
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    CheckCuda(cuda::Softmax(x.data<T>(), y.mutable_data<T>(), RowsOf(x),
                            x.dim(x.rank() - 1), StreamOf(x.device())),
              "[Softmax] launch");
  });
  return y;
}

Tensor SoftmaxBackwardOnGpu(const Tensor& y, const Tensor& dy) {
  Tensor dx = Tensor::Empty(y.shape(), y.dtype(), y.device());
  kernels_internal::VisitFloating(y.dtype(), [&]<typename T>() {
    CheckCuda(cuda::SoftmaxBackward(y.data<T>(), dy.data<T>(),
                                    dx.mutable_data<T>(), RowsOf(y),
                                    y.dim(y.rank() - 1), StreamOf(y.device())),
              "[SoftmaxBackward] launch");
  });
  return dx;
}

const RegisterKernel softmax(gpu::Softmax, &SoftmaxOnGpu);
const RegisterKernel softmax_backward(gpu::SoftmaxBackward,
                                      &SoftmaxBackwardOnGpu);

}  // namespace
}  // namespace lockstep::kernels
