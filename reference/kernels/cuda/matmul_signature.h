// What a matrix product's plan depends on, and nothing else.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_MATMUL_SIGNATURE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_MATMUL_SIGNATURE_H_

#include <compare>
#include <cstdint>

#include "reference/tensor/dtype.h"

namespace lockstep::kernels_internal {

// c [m, n] = a [m, k] times b [k, n], each of which may lie transposed.
struct MatMulSignature {
  DType dtype = DType::kFloat32;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  bool bias = false;
  bool relu = false;
  bool allow_tf32 = false;
  bool autotune = false;

  auto operator<=>(const MatMulSignature&) const = default;
};

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_MATMUL_SIGNATURE_H_
