// The GPU versions of softmax_cross_entropy.h and
// sparse_softmax_cross_entropy.h.
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/cross_entropy_launch.h"
#include "reference/kernels/softmax_cross_entropy.h"
#include "reference/kernels/sparse_softmax_cross_entropy.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

cuda::MatrixSize SizeOf(const Tensor& matrix) {
  return {matrix.dim(1) == 0 ? 0 : matrix.dim(0), matrix.dim(1)};
}

// Zeros where there are no classes.
CrossEntropyResult ResultFor(const Tensor& logits) {
  return {Tensor::Zeros(Shape{logits.dim(0)}, logits.dtype(), logits.device()),
          Tensor::Empty(logits.shape(), logits.dtype(), logits.device())};
}

CrossEntropyResult SparseOnGpu(const Tensor& logits, const Tensor& labels) {
  CrossEntropyResult result = ResultFor(logits);
  kernels_internal::VisitFloating(logits.dtype(), [&]<typename T>() {
    kernels_internal::VisitIndices(labels.dtype(), [&]<typename Label>() {
      CheckCuda(
          cuda::SparseCrossEntropy(logits.data<T>(), labels.data<Label>(),
                                   result.loss.mutable_data<T>(),
                                   result.softmax.mutable_data<T>(),
                                   SizeOf(logits), StreamOf(logits.device())),
          "[SparseSoftmaxCrossEntropy] launch");
    });
  });
  return result;
}

Tensor SparseBackwardOnGpu(const Tensor& softmax, const Tensor& labels,
                           const Tensor& dloss) {
  Tensor dlogits =
      Tensor::Empty(softmax.shape(), softmax.dtype(), softmax.device());
  kernels_internal::VisitFloating(softmax.dtype(), [&]<typename T>() {
    kernels_internal::VisitIndices(labels.dtype(), [&]<typename Label>() {
      CheckCuda(cuda::SparseCrossEntropyBackward(
                    softmax.data<T>(), labels.data<Label>(), dloss.data<T>(),
                    dlogits.mutable_data<T>(), SizeOf(softmax),
                    StreamOf(softmax.device())),
                "[SparseSoftmaxCrossEntropyBackward] launch");
    });
  });
  return dlogits;
}

CrossEntropyResult DenseOnGpu(const Tensor& logits, const Tensor& labels) {
  CrossEntropyResult result = ResultFor(logits);
  kernels_internal::VisitFloating(logits.dtype(), [&]<typename T>() {
    CheckCuda(cuda::CrossEntropy(logits.data<T>(), labels.data<T>(),
                                 result.loss.mutable_data<T>(),
                                 result.softmax.mutable_data<T>(),
                                 SizeOf(logits), StreamOf(logits.device())),
              "[SoftmaxCrossEntropy] launch");
  });
  return result;
}

Tensor DenseBackwardOnGpu(const Tensor& softmax, const Tensor& labels,
                          const Tensor& dloss) {
  Tensor dlogits =
      Tensor::Empty(softmax.shape(), softmax.dtype(), softmax.device());
  kernels_internal::VisitFloating(softmax.dtype(), [&]<typename T>() {
    CheckCuda(
        cuda::CrossEntropyBackward(softmax.data<T>(), labels.data<T>(),
                                   dloss.data<T>(), dlogits.mutable_data<T>(),
                                   SizeOf(softmax), StreamOf(softmax.device())),
        "[SoftmaxCrossEntropyBackward] launch");
  });
  return dlogits;
}

const RegisterKernel sparse(gpu::SparseSoftmaxCrossEntropy, &SparseOnGpu);
const RegisterKernel sparse_backward(gpu::SparseSoftmaxCrossEntropyBackward,
                                     &SparseBackwardOnGpu);
const RegisterKernel dense(gpu::SoftmaxCrossEntropy, &DenseOnGpu);
const RegisterKernel dense_backward(gpu::SoftmaxCrossEntropyBackward,
                                    &DenseBackwardOnGpu);

}  // namespace
}  // namespace lockstep::kernels
