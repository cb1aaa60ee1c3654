// cuBLASLt for tests on machines without a GPU: it multiplies on the host, in
// an emulated GPU's stream, and fails where it is told to.
//
// Whoever links it has its functions instead of the library's.
#ifndef LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_FAKE_CUBLASLT_H_
#define LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_FAKE_CUBLASLT_H_

#include <cublasLt.h>

#include <functional>
#include <vector>

namespace lockstep::cuda {

// What it was asked to run.
struct FakeProduct {
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  cudaDataType_t result = CUDA_R_32F;
  int algorithm = 0;  // 0 is the best guess

  bool operator==(const FakeProduct&) const = default;
};

struct FakeCublasLt {
  // What the functions do; a test sets it to {} when it begins.
  static FakeCublasLt& Current();

  int algorithms = 3;  // offered for each product
  // What it says to a bias for products of an odd number of columns.
  cublasStatus_t odd_bias = CUBLAS_STATUS_SUCCESS;
  // Whether a run fails, and what it then says.
  std::function<cublasStatus_t(const FakeProduct&)> run_status;
  bool relu_loses_nan = false;
  // Called in the stream by each run.
  std::function<void(const FakeProduct&)> at_run;

  std::vector<FakeProduct> runs;  // that were queued and did not fail
};

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_FAKE_CUBLASLT_H_
