// A matrix product as cuBLASLt is asked for it, with an algorithm chosen.
//
// The library's matrices lie column by column; ours, row by row, are for it the
// transposed ones. So it is asked for c' = b' a', where the bias, one value a
// column of ours, is one a row of its, which is what it can add.
#ifndef LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_CUBLASLT_PLAN_H_
#define LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_CUBLASLT_PLAN_H_

#include <cublasLt.h>

#include <memory>
#include <string_view>
#include <vector>

#include "reference/kernels/linear/cuda/matmul_signature.h"

namespace lockstep::cuda {

// Errors: ResourceExhausted for a lack of memory, else Internal.
void CheckCublas(cublasStatus_t status, std::string_view operation);

struct MatMulArrays {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* bias = nullptr;
  void* c = nullptr;
};

// The product without an algorithm. Not copied: the library keeps addresses.
class CublasLtProduct {
 public:
  // With the bias and ReLU that the signature names. Errors: Internal.
  explicit CublasLtProduct(const kernels_internal::MatMulSignature& signature);
  ~CublasLtProduct();
  CublasLtProduct(const CublasLtProduct&) = delete;
  CublasLtProduct& operator=(const CublasLtProduct&) = delete;

  // At most `most` algorithms, the library's best guess first. Left out are
  // those whose sums depend on timing. Errors: Internal, also where the library
  // has none; ResourceExhausted.
  std::vector<cublasLtMatmulHeuristicResult_t> Algorithms(
      cublasLtHandle_t handle, int most) const;

  // Enqueues it. REQUIRES: nobody else is in this function.
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
  bool bias_behind = false;  // by our own kernel
  bool relu_behind = false;
};

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_CUBLASLT_PLAN_H_
