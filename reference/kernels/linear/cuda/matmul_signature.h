// The key of a matrix product's plan: everything the plan depends on.
#ifndef LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_MATMUL_SIGNATURE_H_
#define LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_MATMUL_SIGNATURE_H_

#include <fmt/core.h>

#include <compare>
#include <cstdint>
#include <string>

#include "reference/tensor/dtype.h"

namespace lockstep::kernels_internal {

// c [m, n] = a [m, k] times b [k, n], each of which may be stored transposed.
struct MatMulSignature {
  DType dtype = DType::kFloat32;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  bool bias = false;
  bool relu = false;
  bool wide = false;  // c of 16-bit a and b is float32
  bool allow_tf32 = false;
  bool autotune = false;

  auto operator<=>(const MatMulSignature&) const = default;
};

// A description for people, different for each signature.
inline std::string Describe(const MatMulSignature& s) {
  return fmt::format(
      "MatMul {} x {} x {}, {}{}{}{}{}{}{}{}", s.m, s.k, s.n,
      DTypeName(s.dtype), s.transpose_a ? ", first transposed" : "",
      s.transpose_b ? ", second transposed" : "", s.bias ? ", bias" : "",
      s.relu ? ", ReLU" : "", s.wide ? ", float32 result" : "",
      s.allow_tf32 ? ", TF32" : "", s.autotune ? ", autotuned" : "");
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_MATMUL_SIGNATURE_H_
