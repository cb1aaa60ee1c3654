// Dispatch by a tensor's type: calls a body with the C++ type, or computes
// 16-bit floats in float32 and rounds once.
//
//   VisitArithmetic(x.dtype(), [&]<typename T>() { Fill<T>(x); });
//
//   Tensor Relu(const Tensor& x) {
//     if (IsNarrowFloat(x.dtype())) return InFloat32("Relu", x, Relu, x);
#ifndef LOCKSTEP_REFERENCE_KERNELS_DTYPE_DISPATCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_DTYPE_DISPATCH_H_

#include <string_view>
#include <type_traits>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/tensor/dtype.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

// REQUIRES: float32, float64, int32 or int64 (CheckArithmetic).
template <class Body>
auto VisitArithmetic(DType dtype, const Body& body) {
  if (dtype == DType::kFloat32) return body.template operator()<float>();
  if (dtype == DType::kFloat64) return body.template operator()<double>();
  if (dtype == DType::kInt32) return body.template operator()<int32_t>();
  LOCKSTEP_CHECK(dtype == DType::kInt64);
  return body.template operator()<int64_t>();
}

// VisitArithmetic and the 16-bit floats, which convert to other numbers by
// static_cast only.
template <class Body>
auto VisitArithmeticOrNarrow(DType dtype, const Body& body) {
  if (dtype == DType::kBFloat16) return body.template operator()<BFloat16>();
  if (dtype == DType::kFloat16) return body.template operator()<Float16>();
  return VisitArithmetic(dtype, body);
}

// REQUIRES: float32 or float64 (CheckFloating).
template <class Body>
auto VisitFloating(DType dtype, const Body& body) {
  if (dtype == DType::kFloat32) return body.template operator()<float>();
  LOCKSTEP_CHECK(dtype == DType::kFloat64);
  return body.template operator()<double>();
}

// VisitFloating and bfloat16, which vector loops load and store directly.
template <class Body>
auto VisitFloatingOrBFloat16(DType dtype, const Body& body) {
  if (dtype == DType::kBFloat16) return body.template operator()<BFloat16>();
  return VisitFloating(dtype, body);
}

// REQUIRES: int32, int64 or uint8 (CheckIndices).
template <class Body>
auto VisitIndices(DType dtype, const Body& body) {
  if (dtype == DType::kInt32) return body.template operator()<int32_t>();
  if (dtype == DType::kInt64) return body.template operator()<int64_t>();
  LOCKSTEP_CHECK(dtype == DType::kUInt8);
  return body.template operator()<uint8_t>();
}

// For kernels whose host loops accept bfloat16: whether they compute these
// tensors in float32 nevertheless, because they are float16, of different
// types, or on a GPU.
template <class... Others>
bool IsWidened(const Tensor& like, const Others&... others) {
  const auto taken = [&](const Tensor& tensor) {
    return tensor.dtype() == DType::kBFloat16 && tensor.on_host();
  };
  return IsNarrowFloat(like.dtype()) && !(taken(like) && ... && taken(others));
}

// Converts an argument of the narrow type to float32. Returns undefined
// tensors, integer tensors and other arguments unchanged. Errors:
// InvalidArgument for a tensor of another floating type.
inline Tensor Widened(std::string_view operation, const Tensor& like,
                      const Tensor& argument) {
  if (!argument.defined() || !IsFloating(argument.dtype())) return argument;
  if (argument.dtype() != like.dtype()) {
    throw InvalidArgument("[{}] types must agree, got {} and {}", operation,
                          Describe(like), Describe(argument));
  }
  return argument.Cast(DType::kFloat32);
}
template <class Argument>
const Argument& Widened(std::string_view, const Tensor&,
                        const Argument& argument) {
  return argument;
}

inline void RoundTo(DType narrow, Tensor& tensor) {
  if (tensor.defined() && tensor.dtype() == DType::kFloat32) {
    tensor = tensor.Cast(narrow);
  }
}

// Rounds a tensor, or a struct of two or three.
template <class Result>
Result Narrowed(DType narrow, Result result) {
  if constexpr (std::is_same_v<Result, Tensor>) {
    RoundTo(narrow, result);
  } else if constexpr (requires { Result{Tensor(), Tensor(), Tensor()}; }) {
    auto& [first, second, third] = result;
    for (Tensor* part : {&first, &second, &third}) RoundTo(narrow, *part);
  } else {
    auto& [first, second] = result;
    for (Tensor* part : {&first, &second}) RoundTo(narrow, *part);
  }
  return result;
}

// kernel(arguments...) for tensors of the type of `like`, computed in float32
// and rounded once, at the end. Errors:
// InvalidArgument for tensors of other floating types; the kernel's.
// REQUIRES: `like` is bfloat16 or float16.
template <class Kernel, class... Arguments>
auto InFloat32(std::string_view operation, const Tensor& like,
               const Kernel& kernel, const Arguments&... arguments) {
  return Narrowed(like.dtype(), kernel(Widened(operation, like, arguments)...));
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_DTYPE_DISPATCH_H_
