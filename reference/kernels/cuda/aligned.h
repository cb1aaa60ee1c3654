// Tensors as the CUDA libraries want them.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_ALIGNED_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_ALIGNED_H_

#include <cstdint>

#include "reference/tensor/tensor.h"

namespace lockstep::cuda {

// What plans count on: that every array begins at a multiple of it.
inline constexpr uint32_t kAlignment = 16;

// The tensor, copied where it begins anywhere else, as a slice may.
inline Tensor Aligned(const Tensor& tensor) {
  const auto address = reinterpret_cast<uintptr_t>(tensor.raw_data());
  return address % kAlignment == 0 ? tensor : tensor.Clone(tensor.device());
}

// Its first element, for libraries that know no const; nullptr for an undefined
// tensor.
inline void* Data(const Tensor& tensor) {
  return tensor.defined() ? const_cast<void*>(tensor.raw_data()) : nullptr;
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_ALIGNED_H_
