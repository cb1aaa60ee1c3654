#include "reference/kernels/linear/cuda/cublaslt_plan.h"

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/kernels/cuda/tensor_memory.h"

namespace lockstep::cuda {

using kernels_internal::MatMulSignature;

namespace {

constexpr char kName[] = "[MatMul]";
constexpr uint64_t kMostWorkspace = uint64_t{64} << 20;

cudaDataType_t CudaType(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return CUDA_R_32F;
    case DType::kBFloat16:
      return CUDA_R_16BF;
    case DType::kFloat16:
      return CUDA_R_16F;
    default:
      LOCKSTEP_CHECK(dtype == DType::kFloat64);
      return CUDA_R_64F;
  }
}

cublasComputeType_t ComputeTypeOf(const MatMulSignature& signature) {
  if (signature.dtype == DType::kFloat64) return CUBLAS_COMPUTE_64F;
  const bool tf32 = signature.allow_tf32 && signature.dtype == DType::kFloat32;
  return tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

// The type of the scaling factors and the epilogue.
cudaDataType_t ScaleType(DType dtype) {
  return dtype == DType::kFloat64 ? CUDA_R_64F : CUDA_R_32F;
}

cublasLtEpilogue_t EpilogueOf(const MatMulSignature& signature) {
  if (signature.relu) {
    return signature.bias ? CUBLASLT_EPILOGUE_RELU_BIAS
                          : CUBLASLT_EPILOGUE_RELU;
  }
  return signature.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

template <typename T>
void Set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t name,
         const T& value) {
  CheckCublas(
      cublasLtMatmulDescSetAttribute(product, name, &value, sizeof(value)),
      kName);
}

template <typename T>
void Set(cublasLtMatmulPreference_t preference,
         cublasLtMatmulPreferenceAttributes_t name, const T& value) {
  CheckCublas(cublasLtMatmulPreferenceSetAttribute(preference, name, &value,
                                                   sizeof(value)),
              kName);
}

// The layout of our row-major matrix, which is column-major and transposed for
// the library.
cublasLtMatrixLayout_t Layout(DType dtype, int64_t rows, int64_t columns) {
  cublasLtMatrixLayout_t layout = nullptr;
  CheckCublas(cublasLtMatrixLayoutCreate(&layout, CudaType(dtype),
                                         static_cast<uint64_t>(columns),
                                         static_cast<uint64_t>(rows), columns),
              kName);
  return layout;
}

cublasOperation_t Operation(bool transpose) {
  return transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
}

class Preference {
 public:
  Preference() {
    CheckCublas(cublasLtMatmulPreferenceCreate(&preference_), kName);
    // Excludes in-place reductions, whose order depends on when blocks end.
    constexpr uint32_t kFixedOrder =
        CUBLASLT_REDUCTION_SCHEME_NONE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    Set(preference_, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, kFixedOrder);
    Set(preference_, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kMostWorkspace);
    for (const auto name : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                            CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      Set(preference_, name, kAlignment);
    }
  }
  ~Preference() { cublasLtMatmulPreferenceDestroy(preference_); }
  Preference(const Preference&) = delete;
  Preference& operator=(const Preference&) = delete;

  cublasLtMatmulPreference_t get() const { return preference_; }

 private:
  cublasLtMatmulPreference_t preference_ = nullptr;
};

}  // namespace

void CheckCublas(cublasStatus_t status, std::string_view operation) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const bool memory = status == CUBLAS_STATUS_ALLOC_FAILED;
  throw Error(
      memory ? Code::kResourceExhausted : Code::kInternal,
      fmt::format("{}: {}: {}", operation, cublasLtGetStatusName(status),
                  cublasLtGetStatusString(status)));
}

CublasLtProduct::CublasLtProduct(const MatMulSignature& signature)
    : signature_(signature) {
  const MatMulSignature& s = signature_;
  CheckCublas(
      cublasLtMatmulDescCreate(&product_, ComputeTypeOf(s), ScaleType(s.dtype)),
      kName);
  // The library's first factor is our second.
  Set(product_, CUBLASLT_MATMUL_DESC_TRANSA, Operation(s.transpose_b));
  Set(product_, CUBLASLT_MATMUL_DESC_TRANSB, Operation(s.transpose_a));
  Set(product_, CUBLASLT_MATMUL_DESC_EPILOGUE, EpilogueOf(s));
  if (s.bias) {
    // The library suggests algorithms only if a bias address is set; any will
    // do.
    const auto* any = reinterpret_cast<const void*>(uintptr_t{256});
    Set(product_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, any);
  }
  a_ = s.transpose_a ? Layout(s.dtype, s.k, s.m) : Layout(s.dtype, s.m, s.k);
  b_ = s.transpose_b ? Layout(s.dtype, s.n, s.k) : Layout(s.dtype, s.k, s.n);
  c_ = Layout(s.wide ? DType::kFloat32 : s.dtype, s.m, s.n);
}

CublasLtProduct::~CublasLtProduct() {
  for (const cublasLtMatrixLayout_t layout : {a_, b_, c_}) {
    if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
  }
  if (product_ != nullptr) cublasLtMatmulDescDestroy(product_);
}

std::vector<cublasLtMatmulHeuristicResult_t> CublasLtProduct::Algorithms(
    cublasLtHandle_t handle, int most) const {
  const Preference preference;
  std::vector<cublasLtMatmulHeuristicResult_t> offered(most);
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle, product_, b_, a_, c_, c_, preference.get(), most, offered.data(),
      &count);
  CheckCublas(status, "[MatMul] algorithms");
  offered.resize(count);
  std::erase_if(offered, [](const cublasLtMatmulHeuristicResult_t& result) {
    return result.state != CUBLAS_STATUS_SUCCESS;
  });
  return offered;
}

void CublasLtProduct::Run(cublasLtHandle_t handle,
                          const cublasLtMatmulAlgo_t& algorithm,
                          const MatMulArrays& arrays, void* workspace,
                          size_t workspace_bytes, cudaStream_t stream) const {
  if (signature_.bias) {
    Set(product_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, arrays.bias);
  }
  const float one = 1;
  const float zero = 0;
  const double double_one = 1;
  const double double_zero = 0;
  const bool is_double = signature_.dtype == DType::kFloat64;
  CheckCublas(
      cublasLtMatmul(handle, product_,
                     is_double ? static_cast<const void*>(&double_one) : &one,
                     arrays.b, b_, arrays.a, a_,
                     is_double ? static_cast<const void*>(&double_zero) : &zero,
                     arrays.c, c_, arrays.c, c_, &algorithm, workspace,
                     workspace_bytes, stream),
      "[MatMul] run");
}

}  // namespace lockstep::cuda
