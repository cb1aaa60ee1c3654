#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/unary_launch.h"

namespace lockstep::cuda {

// One kernel a type: the operation is the same for all threads, so choosing it
// there costs nothing beside the memory.
template <typename T>
cudaError_t Unary(UnaryOp op, const T* x, T* y, int64_t count,
                  cudaStream_t stream) {
  return ForEach(count, stream,
                 [=] __device__(int64_t i) { y[i] = Apply(op, x[i]); });
}

template <typename T>
cudaError_t Scale(const T* x, T factor, T* y, int64_t count,
                  cudaStream_t stream) {
  return ForEach(count, stream,
                 [=] __device__(int64_t i) { y[i] = x[i] * factor; });
}

template cudaError_t Unary(UnaryOp, const float*, float*, int64_t,
                           cudaStream_t);
template cudaError_t Unary(UnaryOp, const double*, double*, int64_t,
                           cudaStream_t);
template cudaError_t Unary(UnaryOp, const int32_t*, int32_t*, int64_t,
                           cudaStream_t);
template cudaError_t Unary(UnaryOp, const int64_t*, int64_t*, int64_t,
                           cudaStream_t);
template cudaError_t Scale(const float*, float, float*, int64_t, cudaStream_t);
template cudaError_t Scale(const double*, double, double*, int64_t,
                           cudaStream_t);

}  // namespace lockstep::cuda
