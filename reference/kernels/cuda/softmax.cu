#include "reference/kernels/cuda/softmax_launch.h"
#include "reference/kernels/cuda/warp.cuh"

namespace lockstep::cuda {

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
    for (int64_t i = lane; i < columns; i += kLanes) {
      sum += static_cast<double>(out[i]) * from[i];
    }
    const T dot = static_cast<T>(WarpSum(sum));
    for (int64_t i = lane; i < columns; i += kLanes) {
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

}  // namespace lockstep::cuda
