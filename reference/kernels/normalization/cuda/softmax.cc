// GPU versions of softmax.h.

#include "reference/kernels/normalization/softmax.h"

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/normalization/cuda/softmax_launch.h"

namespace lockstep::kernels {
namespace {

int64_t RowsOf(const Tensor& x) {
  const int64_t columns = x.dim(x.rank() - 1);
  return columns == 0 ? 0 : x.num_elements() / columns;
}

Tensor SoftmaxOnGpu(const Tensor& x) {
  Tensor y = Tensor::Empty(x.shape(), x.dtype(), x.device());
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    CheckCuda(cuda::Softmax(x.data<T>(), y.mutable_data<T>(), RowsOf(x),
                            x.dim(x.rank() - 1), StreamOf(x.device())),
              "[Softmax] launch");
  });
  return y;
}

Tensor SoftmaxBackwardOnGpu(const Tensor& y, const Tensor& dy) {
  Tensor dx = Tensor::Empty(y.shape(), y.dtype(), y.device());
  kernels_internal::VisitFloating(y.dtype(), [&]<typename T>() {
    CheckCuda(cuda::SoftmaxBackward(y.data<T>(), dy.data<T>(),
                                    dx.mutable_data<T>(), RowsOf(y),
                                    y.dim(y.rank() - 1), StreamOf(y.device())),
              "[SoftmaxBackward] launch");
  });
  return dx;
}

const RegisterKernel softmax(gpu::Softmax, &SoftmaxOnGpu);
const RegisterKernel softmax_backward(gpu::SoftmaxBackward,
                                      &SoftmaxBackwardOnGpu);

}  // namespace

namespace {

cuda::MatrixSize SizeOf(const Tensor& matrix) {
  return {matrix.dim(1) == 0 ? 0 : matrix.dim(0), matrix.dim(1)};
}

// Zeros if there are no classes.
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
