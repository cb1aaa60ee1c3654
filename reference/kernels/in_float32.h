// What a kernel of float32 gives for 16-bit floats: computed in float32 and
// rounded once, at the end.
//
//   Tensor Relu(const Tensor& x) {
//     if (IsNarrowFloat(x.dtype())) return InFloat32("Relu", x, Relu, x);
#ifndef LOCKSTEP_REFERENCE_KERNELS_IN_FLOAT32_H_
#define LOCKSTEP_REFERENCE_KERNELS_IN_FLOAT32_H_

#include <string_view>
#include <type_traits>

#include "reference/base/error.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

// An argument as float32, when it has the narrow type; undefined tensors,
// integers and what is no tensor stay. Errors: InvalidArgument for a tensor of
// another floating type.
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

// A tensor, or a struct of two or three.
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

// kernel(arguments...) for tensors of the type of `like`. Errors:
// InvalidArgument for tensors of other floating types; the kernel's.
// REQUIRES: `like` is bfloat16 or float16.
template <class Kernel, class... Arguments>
auto InFloat32(std::string_view operation, const Tensor& like,
               const Kernel& kernel, const Arguments&... arguments) {
  return Narrowed(like.dtype(), kernel(Widened(operation, like, arguments)...));
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_IN_FLOAT32_H_
