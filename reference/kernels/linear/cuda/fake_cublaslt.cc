#include "reference/kernels/linear/cuda/fake_cublaslt.h"

#include <cmath>
#include <cstring>

#include "reference/device/fake_gpu.h"
#include "reference/tensor/narrow_float.h"

namespace lockstep::cuda {
namespace {

struct Product {
  cublasOperation_t transpose[2] = {CUBLAS_OP_N, CUBLAS_OP_N};
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;

  bool has_bias() const { return epilogue & CUBLASLT_EPILOGUE_BIAS; }
  bool has_relu() const { return epilogue & CUBLASLT_EPILOGUE_RELU; }
};

// Column-major.
struct Layout {
  cudaDataType_t type;
  int64_t rows, columns, column_stride;
};

Product* Of(cublasLtMatmulDesc_t product) {
  return reinterpret_cast<Product*>(product);
}
Layout* Of(cublasLtMatrixLayout_t layout) {
  return reinterpret_cast<Layout*>(layout);
}

double Read(cudaDataType_t type, const void* from, int64_t i) {
  if (type == CUDA_R_64F) return static_cast<const double*>(from)[i];
  if (type == CUDA_R_32F) return static_cast<const float*>(from)[i];
  if (type == CUDA_R_16F) {
    return static_cast<float>(static_cast<const Float16*>(from)[i]);
  }
  return static_cast<float>(static_cast<const BFloat16*>(from)[i]);
}

void Write(cudaDataType_t type, void* to, int64_t i, double value) {
  const auto single = static_cast<float>(value);
  if (type == CUDA_R_64F) {
    static_cast<double*>(to)[i] = value;
  } else if (type == CUDA_R_32F) {
    static_cast<float*>(to)[i] = single;
  } else if (type == CUDA_R_16F) {
    static_cast<Float16*>(to)[i] = static_cast<Float16>(single);
  } else {
    static_cast<BFloat16*>(to)[i] = static_cast<BFloat16>(single);
  }
}

struct Matrix {
  Layout layout;
  const void* data;
  bool transposed;

  double At(int64_t row, int64_t column) const {
    if (transposed) std::swap(row, column);
    return Read(layout.type, data, column * layout.column_stride + row);
  }
};

void Multiply(const Product& product, const Matrix& a, const Matrix& b,
              const Layout& to, void* result, bool relu_loses_nan) {
  const int64_t terms = a.transposed ? a.layout.rows : a.layout.columns;
  for (int64_t column = 0; column < to.columns; ++column) {
    for (int64_t row = 0; row < to.rows; ++row) {
      double sum = 0;
      for (int64_t k = 0; k < terms; ++k) sum += a.At(row, k) * b.At(k, column);
      if (product.has_bias()) sum += Read(to.type, product.bias, row);
      const bool cut = relu_loses_nan ? !(sum > 0) : sum <= 0;
      if (product.has_relu() && cut) sum = 0;
      Write(to.type, result, column * to.column_stride + row, sum);
    }
  }
}

}  // namespace

FakeCublasLt& FakeCublasLt::Current() {
  static FakeCublasLt fake;
  return fake;
}

}  // namespace lockstep::cuda

using lockstep::cuda::FakeCublasLt;
using lockstep::cuda::FakeProduct;
using lockstep::cuda::Layout;
using lockstep::cuda::Matrix;
using lockstep::cuda::Of;
using lockstep::cuda::Product;

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(&FakeCublasLt::Current());
  return CUBLAS_STATUS_SUCCESS;
}

size_t cublasLtGetVersion() { return 0; }
const char* cublasLtGetStatusName(cublasStatus_t) { return "STATUS"; }
const char* cublasLtGetStatusString(cublasStatus_t) {
  return "set by the test";
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* product,
                                        cublasComputeType_t, cudaDataType_t) {
  *product = reinterpret_cast<cublasLtMatmulDesc_t>(new Product);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) {
  delete Of(product);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(
    cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t name,
    const void* value, size_t bytes) {
  Product& to = *Of(product);
  if (name == CUBLASLT_MATMUL_DESC_TRANSA) {
    std::memcpy(&to.transpose[0], value, bytes);
  } else if (name == CUBLASLT_MATMUL_DESC_TRANSB) {
    std::memcpy(&to.transpose[1], value, bytes);
  } else if (name == CUBLASLT_MATMUL_DESC_EPILOGUE) {
    std::memcpy(&to.epilogue, value, bytes);
  } else if (name == CUBLASLT_MATMUL_DESC_BIAS_POINTER) {
    std::memcpy(&to.bias, value, bytes);
  } else {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout,
                                          cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t stride) {
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(new Layout{
      type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), stride});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete Of(layout);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(
    cublasLtMatmulPreference_t* preference) {
  *preference = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
    const void*, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t,
    cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
    cublasLtMatrixLayout_t result, cublasLtMatmulPreference_t, int most,
    cublasLtMatmulHeuristicResult_t offered[], int* count) {
  const FakeCublasLt& fake = FakeCublasLt::Current();
  *count = 0;
  if (Of(product)->has_bias() && Of(result)->rows % 2 == 1 &&
      fake.odd_bias != CUBLAS_STATUS_SUCCESS) {
    return fake.odd_bias;
  }
  for (int i = 0; i < std::min(most, fake.algorithms); ++i) {
    offered[i] = {};
    offered[i].algo.data[0] = static_cast<uint64_t>(i);
    ++*count;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t product,
                              const void*, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void*,
                              const void*, cublasLtMatrixLayout_t, void* result,
                              cublasLtMatrixLayout_t result_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void*,
                              size_t, cudaStream_t stream) {
  FakeCublasLt& fake = FakeCublasLt::Current();
  const FakeProduct run{Of(product)->epilogue, Of(result_layout)->type,
                        static_cast<int>(algorithm->data[0])};
  const cublasStatus_t status =
      fake.run_status ? fake.run_status(run) : CUBLAS_STATUS_SUCCESS;
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  fake.runs.push_back(run);
  const Matrix first{*Of(a_layout), a,
                     Of(product)->transpose[0] == CUBLAS_OP_T};
  const Matrix second{*Of(b_layout), b,
                      Of(product)->transpose[1] == CUBLAS_OP_T};
  reinterpret_cast<lockstep::FakeStream*>(stream)->Submit(
      [=, &fake, of = *Of(product), to = *Of(result_layout)] {
        lockstep::cuda::Multiply(of, first, second, to, result,
                                 fake.relu_loses_nan);
        if (fake.at_run) fake.at_run(run);
      });
  return CUBLAS_STATUS_SUCCESS;
}
