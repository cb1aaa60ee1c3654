// The GPU version of Tensor::Cast, for numeric types that differ.
#ifndef LOCKSTEP_REFERENCE_TENSOR_GPU_CAST_H_
#define LOCKSTEP_REFERENCE_TENSOR_GPU_CAST_H_

#include "reference/device/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::gpu {

inline constinit DeviceKernel<Tensor(const Tensor&, DType)> Cast{"Cast"};

}  // namespace lockstep::gpu

#endif  // LOCKSTEP_REFERENCE_TENSOR_GPU_CAST_H_
