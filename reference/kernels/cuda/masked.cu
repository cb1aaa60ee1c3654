#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/element_math.h"
#include "reference/kernels/cuda/masked_launch.h"

namespace lockstep::cuda {

template <typename T>
cudaError_t ReluBackward(const T* y, const T* dy, T* dx, int64_t count,
                         cudaStream_t stream) {
  return ForEach(count, stream, [=] __device__(int64_t i) {
    dx[i] = ReluGradient(y[i], dy[i]);
  });
}

template <typename T>
cudaError_t Clip(const T* x, T low, T high, T* y, int64_t count,
                 cudaStream_t stream) {
  return ForEach(count, stream,
                 [=] __device__(int64_t i) { y[i] = ClipOf(x[i], low, high); });
}

template <typename T>
cudaError_t ClipBackward(const T* x, const T* dy, T low, T high, T* dx,
                         int64_t count, cudaStream_t stream) {
  return ForEach(count, stream, [=] __device__(int64_t i) {
    dx[i] = ClipGradient(x[i], dy[i], low, high);
  });
}

template cudaError_t ReluBackward(const float*, const float*, float*, int64_t,
                                  cudaStream_t);
template cudaError_t ReluBackward(const double*, const double*, double*,
                                  int64_t, cudaStream_t);
template cudaError_t Clip(const float*, float, float, float*, int64_t,
                          cudaStream_t);
template cudaError_t Clip(const double*, double, double, double*, int64_t,
                          cudaStream_t);
template cudaError_t ClipBackward(const float*, const float*, float, float,
                                  float*, int64_t, cudaStream_t);
template cudaError_t ClipBackward(const double*, const double*, double, double,
                                  double*, int64_t, cudaStream_t);

}  // namespace lockstep::cuda
