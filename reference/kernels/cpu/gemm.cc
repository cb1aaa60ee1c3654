#include "reference/kernels/cpu/gemm.h"

#include <dnnl.h>

#include <algorithm>

#include "reference/base/check.h"
#include "reference/kernels/cpu/onednn_thread.h"

namespace lockstep::kernels_internal {

void Gemm(int64_t m, int64_t n, int64_t k, const Matrix<float>& a,
          const Matrix<float>& b, float* c, int64_t c_stride, bool accumulate) {
  const OneDnnThread single;
  const dnnl_status_t status = dnnl_sgemm(
      a.transpose ? 'T' : 'N', b.transpose ? 'T' : 'N', m, n, k, 1.0f, a.data,
      a.stride, b.data, b.stride, accumulate ? 1.0f : 0.0f, c, c_stride);
  LOCKSTEP_CHECK(status == dnnl_success);
}

// oneDNN has no double product; rows of b stay in the cache.
void Gemm(int64_t m, int64_t n, int64_t k, const Matrix<double>& a,
          const Matrix<double>& b, double* c, int64_t c_stride,
          bool accumulate) {
  for (int64_t i = 0; i < m; ++i) {
    double* row = c + i * c_stride;
    if (!accumulate) std::fill_n(row, n, 0.0);
    for (int64_t p = 0; p < k; ++p) {
      const double scale =
          a.transpose ? a.data[p * a.stride + i] : a.data[i * a.stride + p];
      for (int64_t j = 0; j < n; ++j) {
        row[j] += scale * (b.transpose ? b.data[j * b.stride + p]
                                       : b.data[p * b.stride + j]);
      }
    }
  }
}

}  // namespace lockstep::kernels_internal
