// A warp processes one row: each lane takes every 32nd element.

#include <cmath>
#include <cstdint>

#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/normalization/cuda/softmax_launch.h"

namespace lockstep::cuda {

// Returns the sum in every lane, in a fixed order of additions.
__device__ inline double WarpSum(double value) {
  for (int mask = kWarpLanes / 2; mask > 0; mask /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, mask);
  }
  return value;
}

// Returns the maximum in every lane; may ignore a NaN.
template <typename T>
__device__ T WarpMax(T value) {
  for (int mask = kWarpLanes / 2; mask > 0; mask /= 2) {
    const T other = __shfl_xor_sync(0xffffffff, value, mask);
    if (other > value) value = other;
  }
  return value;
}

// Writes the softmax of one row and returns log(sum(exp(x))), like LogSumExp in
// softmax.cc. A NaN anywhere makes the whole row NaN. REQUIRES: columns >= 1.
template <typename T>
__device__ double SoftmaxRow(const T* x, T* y, int64_t columns, int lane) {
  T top = x[0];
  for (int64_t i = lane; i < columns; i += kWarpLanes) {
    if (x[i] > top) top = x[i];
  }
  top = WarpMax(top);
  double sum = 0;
  for (int64_t i = lane; i < columns; i += kWarpLanes) {
    const T e = std::exp(x[i] - top);
    y[i] = e;
    sum += e;
  }
  sum = WarpSum(sum);
  const T scale = static_cast<T>(1 / sum);
  for (int64_t i = lane; i < columns; i += kWarpLanes) y[i] *= scale;
  return static_cast<double>(top) + std::log(sum);
}

template <class Body>
__global__ void __launch_bounds__(kThreadsPerBlock)
    ForEachRowKernel(int64_t rows, Body body) {
  constexpr int kWarps = kThreadsPerBlock / kWarpLanes;
  const int warp = static_cast<int>(threadIdx.x) / kWarpLanes;
  const int lane = static_cast<int>(threadIdx.x) % kWarpLanes;
  const int64_t stride = int64_t{gridDim.x} * kWarps;
  for (int64_t row = int64_t{blockIdx.x} * kWarps + warp; row < rows;
       row += stride) {
    body(row, lane);
  }
}

// Calls body(row, lane) for each row in the lanes of a warp.
template <class Body>
cudaError_t ForEachRow(int64_t rows, cudaStream_t stream, const Body& body) {
  if (rows <= 0) return cudaSuccess;
  return Launch(ForEachRowKernel<Body>, BlocksFor(rows * kWarpLanes), stream,
                rows, body);
}

template <typename T>
cudaError_t Softmax(const T* x, T* y, int64_t rows, int64_t columns,
                    cudaStream_t stream) {
  return ForEachRow(rows, stream, [=] __device__(int64_t row, int lane) {
    SoftmaxRow(x + row * columns, y + row * columns, columns, lane);
  });
}

template <typename T>
cudaError_t SoftmaxBackward(const T* y, const T* dy, T* dx, int64_t rows,
                            int64_t columns, cudaStream_t stream) {
  return ForEachRow(rows, stream, [=] __device__(int64_t row, int lane) {
    const T* out = y + row * columns;
    const T* from = dy + row * columns;
    double sum = 0;
    for (int64_t i = lane; i < columns; i += kWarpLanes) {
      sum += static_cast<double>(out[i]) * from[i];
    }
    const T dot = static_cast<T>(WarpSum(sum));
    for (int64_t i = lane; i < columns; i += kWarpLanes) {
      dx[row * columns + i] = out[i] * (from[i] - dot);
    }
  });
}

#define LOCKSTEP_SOFTMAX(T)                                                   \
  template cudaError_t Softmax(const T*, T*, int64_t, int64_t, cudaStream_t); \
  template cudaError_t SoftmaxBackward(const T*, const T*, T*, int64_t,       \
                                       int64_t, cudaStream_t)
LOCKSTEP_SOFTMAX(float);
LOCKSTEP_SOFTMAX(double);
#undef LOCKSTEP_SOFTMAX

namespace {

// NaN if the label is not a class, because the host does not wait to check
// labels.
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
    for (int64_t i = lane; i < size.columns; i += kWarpLanes) {
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
    for (int64_t i = lane; i < size.columns; i += kWarpLanes) {
      // A class of probability 0 adds no loss, even if its logit is -inf.
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
    for (int64_t i = lane; i < size.columns; i += kWarpLanes) {
      sum += labels[first + i];
    }
    const T total = static_cast<T>(WarpSum(sum));
    const T scale = dloss[row];
    for (int64_t i = lane; i < size.columns; i += kWarpLanes) {
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
