// A matrix product by cuBLASLt, with a chosen algorithm.
//
// The library's matrices are column-major; to it, our row-major matrices are
// transposed. So it computes c' = b' a'. Our bias per column is then a bias per
// row, which the library supports.
#ifndef LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_CUBLASLT_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_CUBLASLT_PLAN_H_

#include <cublasLt.h>

#include <memory>
#include <string_view>
#include <vector>

#include "reference/kernels/linear/cuda/matmul_signature.h"

namespace lockstep::cuda {

// Errors: ResourceExhausted if memory is exhausted, else Internal.
void CheckCublas(cublasStatus_t status, std::string_view operation);

struct MatMulArrays {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* bias = nullptr;
  void* c = nullptr;
};

// The product without an algorithm. Not copyable, because the library keeps
// addresses.
class CublasLtProduct {
 public:
  // Includes the signature's bias and ReLU. Errors: Internal.
  explicit CublasLtProduct(const kernels_internal::MatMulSignature& signature);
  ~CublasLtProduct();
  CublasLtProduct(const CublasLtProduct&) = delete;
  CublasLtProduct& operator=(const CublasLtProduct&) = delete;

  // At most `most` algorithms, the library's best guess first, without those
  // that are not deterministic. Errors: Internal, also if the library has none;
  // ResourceExhausted.
  std::vector<cublasLtMatmulHeuristicResult_t> Algorithms(
      cublasLtHandle_t handle, int most) const;

  // Enqueues the product. REQUIRES: no other thread is in this function.
  void Run(cublasLtHandle_t handle, const cublasLtMatmulAlgo_t& algorithm,
           const MatMulArrays& arrays, void* workspace, size_t workspace_bytes,
           cudaStream_t stream) const;

  const kernels_internal::MatMulSignature& signature() const {
    return signature_;
  }

 private:
  const kernels_internal::MatMulSignature signature_;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t c_ = nullptr;
};

struct MatMulPlan {
  std::shared_ptr<const CublasLtProduct> product;
  cublasLtMatmulAlgo_t algorithm;
  size_t workspace_bytes = 0;
  bool bias_after = false;  // our own kernel adds it
  bool relu_after = false;
};

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_CUBLASLT_PLAN_H_
