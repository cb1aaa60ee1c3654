// Matrix products of tensors on one GPU by cuBLASLt; matmul.h and dense.h beside
// the CPU kernels have the contract.
//
// Where the arithmetic differs from the CPU's it does so in the order of
// additions, which is the same in every run unless autotuning chooses
// (gpu_math.h). No algorithm is taken before it has run once; of one that does
// ReLU itself that run is on NaN and shows that NaN comes out, which the library
// does not promise.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_MATMUL_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_MATMUL_H_

#include "reference/tensor/tensor.h"

namespace lockstep::cuda {

// relu(a b + bias); `bias` [n] may be undefined. Errors: Unimplemented where the
// library has no algorithm; ResourceExhausted; Internal.
// REQUIRES: matrices of one floating dtype that chain, on one GPU.
Tensor Multiply(const Tensor& a, const Tensor& b, bool transpose_a,
                bool transpose_b, const Tensor& bias, bool relu);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_MATMUL_H_
