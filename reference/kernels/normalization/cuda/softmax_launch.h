// Softmax over the rows of a matrix in a GPU's memory and the losses fused with
// it, forward and gradient.
#ifndef LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_CUDA_SOFTMAX_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_CUDA_SOFTMAX_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace lockstep::cuda {

// Both for float and double. REQUIRES: columns >= 1, or no rows.
template <typename T>
cudaError_t Softmax(const T* x, T* y, int64_t rows, int64_t columns,
                    cudaStream_t stream);

template <typename T>
cudaError_t SoftmaxBackward(const T* y, const T* dy, T* dx, int64_t rows,
                            int64_t columns, cudaStream_t stream);

// For the losses, one kernel computes loss and softmax, one the gradient.
struct MatrixSize {
  int64_t rows;
  int64_t columns;  // REQUIRES: >= 1, or no rows
};

// T: float, double. Label: int32_t, int64_t, uint8_t; a label that is not a
// class makes its row's loss and gradient NaN.
template <typename T, typename Label>
cudaError_t SparseCrossEntropy(const T* logits, const Label* labels, T* loss,
                               T* softmax, MatrixSize size,
                               cudaStream_t stream);
template <typename T, typename Label>
cudaError_t SparseCrossEntropyBackward(const T* softmax, const Label* labels,
                                       const T* dloss, T* dlogits,
                                       MatrixSize size, cudaStream_t stream);

// Labels are probabilities, of the logits' shape.
template <typename T>
cudaError_t CrossEntropy(const T* logits, const T* labels, T* loss, T* softmax,
                         MatrixSize size, cudaStream_t stream);
template <typename T>
cudaError_t CrossEntropyBackward(const T* softmax, const T* labels,
                                 const T* dloss, T* dlogits, MatrixSize size,
                                 cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_NORMALIZATION_CUDA_SOFTMAX_LAUNCH_H_
