// Products of matrices in plain memory, on the calling thread.
#ifndef LOCKSTEP_REFERENCE_KERNELS_LINEAR_GEMM_H_
#define LOCKSTEP_REFERENCE_KERNELS_LINEAR_GEMM_H_

#include <cstdint>

#include "reference/tensor/narrow_float.h"

namespace lockstep::kernels_internal {

// A row-major matrix: element (i, j) is data[i * stride + j]; with `transpose`
// it means the transpose.
template <typename T>
struct Matrix {
  const T* data;
  int64_t stride;
  bool transpose = false;
};

// c [m, n] = a [m, k] * b [k, n] on the calling thread, row-major; added to c
// if `accumulate`. REQUIRES: m, n, k >= 1.
void Gemm(int64_t m, int64_t n, int64_t k, const Matrix<float>& a,
          const Matrix<float>& b, float* c, int64_t c_stride, bool accumulate);
void Gemm(int64_t m, int64_t n, int64_t k, const Matrix<double>& a,
          const Matrix<double>& b, double* c, int64_t c_stride,
          bool accumulate);
// Products of bfloat16, summed in float32. REQUIRES: MultipliesBFloat16().
void Gemm(int64_t m, int64_t n, int64_t k, const Matrix<BFloat16>& a,
          const Matrix<BFloat16>& b, float* c, int64_t c_stride,
          bool accumulate);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_LINEAR_GEMM_H_
