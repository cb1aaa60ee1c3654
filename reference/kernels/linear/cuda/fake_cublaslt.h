// cuBLASLt for tests on machines without a GPU: it multiplies on the host, in
// an emulated GPU's stream, and can be made to fail.
//
// Its functions replace the library's in programs that link it.
#ifndef LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_FAKE_CUBLASLT_H_
#define LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_FAKE_CUBLASLT_H_

#include <cublasLt.h>

#include <functional>
#include <vector>

namespace lockstep::cuda {

// A product that was run.
struct FakeProduct {
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  cudaDataType_t result = CUDA_R_32F;
  int algorithm = 0;  // 0 is the best guess

  bool operator==(const FakeProduct&) const = default;
};

struct FakeCublasLt {
  // The behaviour of the functions. A test resets it to {} at its start.
  static FakeCublasLt& Current();

  int algorithms = 3;  // suggested for each product
  // The status for a bias with an odd number of columns.
  cublasStatus_t odd_bias = CUBLAS_STATUS_SUCCESS;
  // The status of a run.
  std::function<cublasStatus_t(const FakeProduct&)> run_status;
  bool relu_loses_nan = false;
  // Called by each run, in the stream.
  std::function<void(const FakeProduct&)> at_run;

  std::vector<FakeProduct> runs;  // those that were queued and did not fail
};

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_LINEAR_CUDA_FAKE_CUBLASLT_H_
