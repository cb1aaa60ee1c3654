// The GPU versions of binary.h and broadcast_to.h.
#include "reference/kernels/binary.h"

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/broadcast_shape.h"
#include "reference/kernels/broadcast_to.h"
#include "reference/kernels/cpu/broadcast_plan.h"
#include "reference/kernels/cuda/binary_launch.h"
#include "reference/kernels/cuda/word_of.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

using cuda::BinaryOp;
using cuda::StridedAxes;

struct Operands {
  StridedAxes a;
  StridedAxes b;
};

Operands AxesOf(const kernels_internal::BroadcastPlan& plan) {
  Operands operands;
  for (const auto& axis : plan.axes()) {
    operands.a.Append(axis.size, axis.a);
    operands.b.Append(axis.size, axis.b);
  }
  return operands;
}

template <BinaryOp op>
Tensor BinaryOnGpu(const Tensor& a, const Tensor& b) {
  const Shape shape = BroadcastShape("Binary", a.shape(), b.shape());
  Tensor out = Tensor::Empty(shape, a.dtype(), a.device());
  if (out.num_elements() == 0) return out;
  const Operands axes = AxesOf({shape, a.shape(), b.shape()});
  const auto launch = [&]<typename T>() {
    CheckCuda(cuda::Binary(op, a.data<T>(), axes.a, b.data<T>(), axes.b,
                           out.mutable_data<T>(), StreamOf(a.device())),
              "[Binary] launch");
  };
  if constexpr (op == BinaryOp::kDivide) {
    kernels_internal::VisitFloating(a.dtype(), launch);
  } else {
    kernels_internal::VisitArithmetic(a.dtype(), launch);
  }
  return out;
}

Tensor BroadcastToOnGpu(const Tensor& tensor, const Shape& shape) {
  Tensor out = Tensor::Empty(shape, tensor.dtype(), tensor.device());
  if (out.num_elements() == 0) return out;
  const Operands axes = AxesOf({shape, tensor.shape(), Shape{}});
  cuda::VisitWord(DTypeSize(tensor.dtype()), [&]<typename Word>() {
    CheckCuda(
        cuda::CopyStrided(static_cast<const Word*>(tensor.raw_data()), axes.a,
                          static_cast<Word*>(out.mutable_raw_data()),
                          StreamOf(tensor.device())),
        "[BroadcastTo] launch");
  });
  return out;
}

const RegisterKernel add(gpu::Add, &BinaryOnGpu<BinaryOp::kAdd>);
const RegisterKernel subtract(gpu::Subtract, &BinaryOnGpu<BinaryOp::kSubtract>);
const RegisterKernel multiply(gpu::Multiply, &BinaryOnGpu<BinaryOp::kMultiply>);
const RegisterKernel divide(gpu::Divide, &BinaryOnGpu<BinaryOp::kDivide>);
const RegisterKernel broadcast_to(gpu::BroadcastTo, &BroadcastToOnGpu);

}  // namespace
}  // namespace lockstep::kernels
