// The GPU versions of unary.h, relu.h's Relu and scale.h.
#include "reference/kernels/unary.h"

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/unary_launch.h"
#include "reference/kernels/relu.h"
#include "reference/kernels/scale.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

using cuda::UnaryOp;

template <UnaryOp op>
Tensor UnaryOnGpu(const Tensor& x) {
  Tensor y = Tensor::Empty(x.shape(), x.dtype(), x.device());
  const auto launch = [&]<typename T>() {
    CheckCuda(cuda::Unary(op, x.data<T>(), y.mutable_data<T>(),
                          x.num_elements(), StreamOf(x.device())),
              "[Unary] launch");
  };
  if constexpr (op < UnaryOp::kSqrt) {
    kernels_internal::VisitArithmetic(x.dtype(), launch);
  } else {
    kernels_internal::VisitFloating(x.dtype(), launch);
  }
  return y;
}

Tensor ScaleOnGpu(const Tensor& x, double factor) {
  Tensor y = Tensor::Empty(x.shape(), x.dtype(), x.device());
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    CheckCuda(
        cuda::Scale(x.data<T>(), static_cast<T>(factor), y.mutable_data<T>(),
                    x.num_elements(), StreamOf(x.device())),
        "[Scale] launch");
  });
  return y;
}

const RegisterKernel negate(gpu::Negate, &UnaryOnGpu<UnaryOp::kNegate>);
const RegisterKernel abs(gpu::Abs, &UnaryOnGpu<UnaryOp::kAbs>);
const RegisterKernel square(gpu::Square, &UnaryOnGpu<UnaryOp::kSquare>);
const RegisterKernel sign(gpu::Sign, &UnaryOnGpu<UnaryOp::kSign>);
const RegisterKernel sqrt(gpu::Sqrt, &UnaryOnGpu<UnaryOp::kSqrt>);
const RegisterKernel exp(gpu::Exp, &UnaryOnGpu<UnaryOp::kExp>);
const RegisterKernel log(gpu::Log, &UnaryOnGpu<UnaryOp::kLog>);
const RegisterKernel sigmoid(gpu::Sigmoid, &UnaryOnGpu<UnaryOp::kSigmoid>);
const RegisterKernel tanh(gpu::Tanh, &UnaryOnGpu<UnaryOp::kTanh>);
const RegisterKernel relu(gpu::Relu, &UnaryOnGpu<UnaryOp::kRelu>);
const RegisterKernel scale(gpu::Scale, &ScaleOnGpu);

}  // namespace
}  // namespace lockstep::kernels
