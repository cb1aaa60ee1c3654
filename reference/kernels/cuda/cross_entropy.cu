#include "reference/kernels/cuda/cross_entropy_launch.h"
#include "reference/kernels/cuda/warp.cuh"

namespace lockstep::cuda {
namespace {

// NaN where the label is no class: nobody waits to see whether all are.
template <typename T>
__device__ T NoClass() {
  return static_cast<T>(nan(""));
}

}  // namespace

template <typename T, typename Label>
cudaError_t SparseCrossEntropy(const T* logits, const Label* labels, T* loss,
                               T* softmax, MatrixSize size,
                               cudaStream_t stream) {
  return ForEachRow(size.rows, stream, [=] __device__(int64_t row, int lane) {
    const T* x = logits + row * size.columns;
    const double log_sum =
        SoftmaxRow(x, softmax + row * size.columns, size.columns, lane);
    const auto label = static_cast<int64_t>(labels[row]);
    const bool is_class = label >= 0 && label < size.columns;
    if (lane != 0) return;
    loss[row] = is_class ? static_cast<T>(log_sum - x[label]) : NoClass<T>();
  });
}

template <typename T, typename Label>
cudaError_t SparseCrossEntropyBackward(const T* softmax, const Label* labels,
                                       const T* dloss, T* dlogits,
                                       MatrixSize size, cudaStream_t stream) {
  return ForEachRow(size.rows, stream, [=] __device__(int64_t row, int lane) {
    const auto label = static_cast<int64_t>(labels[row]);
    const bool is_class = label >= 0 && label < size.columns;
    const T scale = is_class ? dloss[row] : NoClass<T>();
    const int64_t first = row * size.columns;
    for (int64_t i = lane; i < size.columns; i += kLanes) {
      const T target = i == label ? T{1} : T{0};
      dlogits[first + i] = (softmax[first + i] - target) * scale;
    }
  });
}

template <typename T>
cudaError_t CrossEntropy(const T* logits, const T* labels, T* loss, T* softmax,
                         MatrixSize size, cudaStream_t stream) {
  return ForEachRow(size.rows, stream, [=] __device__(int64_t row, int lane) {
    const T* x = logits + row * size.columns;
    const T* target = labels + row * size.columns;
    const double log_sum =
        SoftmaxRow(x, softmax + row * size.columns, size.columns, lane);
    double sum = 0;
    for (int64_t i = lane; i < size.columns; i += kLanes) {
      // A class of probability 0 costs nothing, even where its logit is -inf.
      if (target[i] != 0) sum += target[i] * (log_sum - x[i]);
    }
    sum = WarpSum(sum);
    if (lane == 0) loss[row] = static_cast<T>(sum);
  });
}

template <typename T>
cudaError_t CrossEntropyBackward(const T* softmax, const T* labels,
                                 const T* dloss, T* dlogits, MatrixSize size,
                                 cudaStream_t stream) {
  return ForEachRow(size.rows, stream, [=] __device__(int64_t row, int lane) {
    const int64_t first = row * size.columns;
    double sum = 0;
    for (int64_t i = lane; i < size.columns; i += kLanes) {
      sum += labels[first + i];
    }
    const T total = static_cast<T>(WarpSum(sum));
    const T scale = dloss[row];
    for (int64_t i = lane; i < size.columns; i += kLanes) {
      const T wanted = labels[first + i];
      dlogits[first + i] = (softmax[first + i] * total - wanted) * scale;
    }
  });
}

#define LOCKSTEP_SPARSE(T, Label)                                         \
  template cudaError_t SparseCrossEntropy(const T*, const Label*, T*, T*, \
                                          MatrixSize, cudaStream_t);      \
  template cudaError_t SparseCrossEntropyBackward(                        \
      const T*, const Label*, const T*, T*, MatrixSize, cudaStream_t)
#define LOCKSTEP_DENSE(T)                                                     \
  LOCKSTEP_SPARSE(T, int32_t);                                                \
  LOCKSTEP_SPARSE(T, int64_t);                                                \
  LOCKSTEP_SPARSE(T, uint8_t);                                                \
  template cudaError_t CrossEntropy(const T*, const T*, T*, T*, MatrixSize,   \
                                    cudaStream_t);                            \
  template cudaError_t CrossEntropyBackward(const T*, const T*, const T*, T*, \
                                            MatrixSize, cudaStream_t)
LOCKSTEP_DENSE(float);
LOCKSTEP_DENSE(double);
#undef LOCKSTEP_DENSE
#undef LOCKSTEP_SPARSE

}  // namespace lockstep::cuda
