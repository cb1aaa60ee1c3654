#include "reference/kernels/linear/gemm.h"

#include <dnnl.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "reference/kernels/cpu/onednn_engine.h"

namespace lockstep::kernels_internal {

namespace {

using dnnl::memory;

// The description of a matrix that is rows x columns after its transposition.
memory::desc Describe(int64_t rows, int64_t columns,
                      const Matrix<BFloat16>& matrix) {
  const memory::dims strides = matrix.transpose
                                   ? memory::dims{1, matrix.stride}
                                   : memory::dims{matrix.stride, 1};
  return {{rows, columns}, memory::data_type::bf16, strides};
}

}  // namespace

void Gemm(int64_t m, int64_t n, int64_t k, const Matrix<float>& a,
          const Matrix<float>& b, float* c, int64_t c_stride,
          bool accumulate) try {
  const OneDnnThread single;
  dnnl::error::wrap_c_api(
      dnnl_sgemm(a.transpose ? 'T' : 'N', b.transpose ? 'T' : 'N', m, n, k,
                 1.0f, a.data, a.stride, b.data, b.stride,
                 accumulate ? 1.0f : 0.0f, c, c_stride),
      "a product of matrices failed");
} catch (...) {
  RethrowOneDnnError("MatMul");
}

// oneDNN has no product of doubles. Rows of b stay in the cache.
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

void Gemm(int64_t m, int64_t n, int64_t k, const Matrix<BFloat16>& a,
          const Matrix<BFloat16>& b, float* c, int64_t c_stride,
          bool accumulate) try {
  const OneDnnThread single;
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (accumulate) {
    dnnl::post_ops sum;
    sum.append_sum(1.0f);
    attributes.set_post_ops(sum);
  }
  // oneDNN caches the code it generates.
  const auto product = DescribePrimitive<dnnl::matmul>(
      attributes, Describe(m, k, a), Describe(k, n, b),
      memory::desc({m, n}, memory::data_type::f32, memory::dims{c_stride, 1}));
  std::vector<std::byte> scratch(product.scratchpad_desc().get_size());
  dnnl::matmul(product).execute(
      OneDnnStream(),
      {{DNNL_ARG_SRC, OneDnnMemory(product.src_desc(), a.data)},
       {DNNL_ARG_WEIGHTS, OneDnnMemory(product.weights_desc(), b.data)},
       {DNNL_ARG_DST, OneDnnMemory(product.dst_desc(), c)},
       {DNNL_ARG_SCRATCHPAD,
        OneDnnMemory(product.scratchpad_desc(), scratch.data())}});
} catch (...) {
  RethrowOneDnnError("MatMul");
}

}  // namespace lockstep::kernels_internal
