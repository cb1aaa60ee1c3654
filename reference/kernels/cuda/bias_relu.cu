#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/bias_relu.h"
#include "reference/kernels/cuda/cuda_types.cuh"

namespace lockstep::cuda {
namespace {

template <typename T, typename Number>
__global__ void BiasReluKernel(T* y, const float* wide, const T* bias,
                               Number count, Number columns, bool relu) {
  for (auto i = FirstElement<Number>(); i < count; i += GridStride<Number>()) {
    Compute<T> value = wide != nullptr ? wide[i] : Widen(y[i]);
    if (bias != nullptr) value += Widen(bias[i % columns]);
    // Not max, which would turn NaN into 0.
    if (relu && value <= 0) value = 0;
    y[i] = static_cast<T>(value);
  }
}

}  // namespace

cudaError_t BiasRelu(cudaStream_t stream, DType dtype, void* y,
                     const float* wide, const void* bias, int64_t rows,
                     int64_t columns, bool relu) {
  const int64_t count = rows * columns;
  const bool nothing = wide == nullptr && bias == nullptr && !relu;
  if (count == 0 || nothing) return cudaSuccess;
  cudaError_t status = cudaSuccess;
  VisitCudaFloat(dtype, [&]<typename T>() {
    VisitNumber(count, [&]<typename Number>() {
      status = Launch(BiasReluKernel<T, Number>, BlocksFor(count), stream,
                      static_cast<T*>(y), wide, static_cast<const T*>(bias),
                      static_cast<Number>(count), static_cast<Number>(columns),
                      relu);
    });
  });
  return status;
}

}  // namespace lockstep::cuda
