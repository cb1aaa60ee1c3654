// The GPU versions of clip.h and of relu.h's ReluBackward.
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/clip.h"
#include "reference/kernels/cuda/masked_launch.h"
#include "reference/kernels/relu.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

Tensor ReluBackwardOnGpu(const Tensor& y, const Tensor& dy) {
  Tensor dx = Tensor::Empty(y.shape(), y.dtype(), y.device());
  kernels_internal::VisitFloating(y.dtype(), [&]<typename T>() {
    CheckCuda(
        cuda::ReluBackward(y.data<T>(), dy.data<T>(), dx.mutable_data<T>(),
                           y.num_elements(), StreamOf(y.device())),
        "[ReluBackward] launch");
  });
  return dx;
}

Tensor ClipOnGpu(const Tensor& x, double low, double high) {
  Tensor y = Tensor::Empty(x.shape(), x.dtype(), x.device());
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    CheckCuda(
        cuda::Clip(x.data<T>(), static_cast<T>(low), static_cast<T>(high),
                   y.mutable_data<T>(), x.num_elements(), StreamOf(x.device())),
        "[Clip] launch");
  });
  return y;
}

Tensor ClipBackwardOnGpu(const Tensor& x, const Tensor& dy, double low,
                         double high) {
  Tensor dx = Tensor::Empty(x.shape(), x.dtype(), x.device());
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    CheckCuda(cuda::ClipBackward(x.data<T>(), dy.data<T>(), static_cast<T>(low),
                                 static_cast<T>(high), dx.mutable_data<T>(),
                                 x.num_elements(), StreamOf(x.device())),
              "[ClipBackward] launch");
  });
  return dx;
}

const RegisterKernel relu_backward(gpu::ReluBackward, &ReluBackwardOnGpu);
const RegisterKernel clip(gpu::Clip, &ClipOnGpu);
const RegisterKernel clip_backward(gpu::ClipBackward, &ClipBackwardOnGpu);

}  // namespace
}  // namespace lockstep::kernels
