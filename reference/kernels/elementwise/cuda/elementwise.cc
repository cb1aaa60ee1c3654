// GPU versions of unary.h, binary.h, in_place.h and Tensor::Cast.

#include <type_traits>

#include "reference/base/check.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/broadcast_plan.h"
#include "reference/kernels/cuda/tensor_memory.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/elementwise/cuda/elementwise_launch.h"
#include "reference/kernels/elementwise/in_place.h"
#include "reference/kernels/elementwise/unary.h"
#include "reference/tensor/tensor.h"

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

namespace {

Tensor EqualOnGpu(const Tensor& a, const Tensor& b) {
  Tensor out = Tensor::Empty(a.shape(), DType::kBool, a.device());
  VisitDType(a.dtype(), [&]<typename T>() {
    if constexpr (kIsNumber<T>) {
      CheckCuda(cuda::Equal(a.data<T>(), b.data<T>(), out.mutable_data<bool>(),
                            a.num_elements(), StreamOf(a.device())),
                "[Equal] launch");
    }
  });
  return out;
}

const RegisterKernel equal(gpu::Equal, &EqualOnGpu);

}  // namespace

namespace {

template <bool subtract>
void ChangeOnGpu(Tensor& target, const Tensor& delta) {
  const cudaStream_t stream = StreamOf(target.device());
  const int64_t count = target.num_elements();
  VisitDType(target.dtype(), [&]<typename T>() {
    if constexpr (kIsNumber<T> && !std::is_same_v<T, bool>) {
      T* out = target.mutable_data<T>();
      const T* in = delta.data<T>();
      CheckCuda(subtract ? cuda::SubtractInPlace(out, in, count, stream)
                         : cuda::AddInPlace(out, in, count, stream),
                "[UpdateInPlace] launch");
    }
  });
}

void AssignWhereOnGpu(const Tensor& condition, Tensor& target,
                      const Tensor& value) {
  cuda::VisitWord(DTypeSize(target.dtype()), [&]<typename Word>() {
    CheckCuda(
        cuda::AssignWhere(condition.data<bool>(),
                          static_cast<Word*>(target.mutable_raw_data()),
                          static_cast<const Word*>(value.raw_data()),
                          target.num_elements(), StreamOf(target.device())),
        "[AssignWhere] launch");
  });
}

const RegisterKernel add_in_place(gpu::AddInPlace, &ChangeOnGpu<false>);
const RegisterKernel subtract_in_place(gpu::SubtractInPlace,
                                       &ChangeOnGpu<true>);
const RegisterKernel assign_where(gpu::AssignWhere, &AssignWhereOnGpu);

}  // namespace
}  // namespace lockstep::kernels

namespace lockstep {

namespace {

using cuda::NumberType;

NumberType NumberTypeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return NumberType::kFloat32;
    case DType::kFloat64:
      return NumberType::kFloat64;
    case DType::kBFloat16:
      return NumberType::kBFloat16;
    case DType::kFloat16:
      return NumberType::kFloat16;
    case DType::kInt32:
      return NumberType::kInt32;
    case DType::kInt64:
      return NumberType::kInt64;
    case DType::kUInt8:
      return NumberType::kUInt8;
    default:
      LOCKSTEP_CHECK(dtype == DType::kBool);
      return NumberType::kBool;
  }
}

Tensor CastOnGpu(const Tensor& x, DType dtype) {
  Tensor y = Tensor::Empty(x.shape(), dtype, x.device());
  VisitDType(x.dtype(), [&]<typename From>() {
    if constexpr (kIsNumber<From>) {
      CheckCuda(
          cuda::Cast(x.data<From>(), y.mutable_raw_data(), NumberTypeOf(dtype),
                     x.num_elements(), StreamOf(x.device())),
          "[Cast] launch");
    }
  });
  return y;
}

const RegisterKernel cast(gpu::Cast, &CastOnGpu);

}  // namespace
}  // namespace lockstep
