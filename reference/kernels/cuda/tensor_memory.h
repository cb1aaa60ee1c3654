// Tensors' memory for the CUDA libraries and for kernels that only move
// elements.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_TENSOR_MEMORY_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_TENSOR_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "reference/base/check.h"
#include "reference/tensor/tensor.h"

namespace lockstep::cuda {

// The alignment of arrays that plans rely on.
inline constexpr uint32_t kAlignment = 16;

// The tensor, or a copy if it is not aligned, as a slice may be.
inline Tensor Aligned(const Tensor& tensor) {
  const auto address = reinterpret_cast<uintptr_t>(tensor.raw_data());
  return address % kAlignment == 0 ? tensor : tensor.Clone(tensor.device());
}

// The address of its first element, without const for C libraries; nullptr for
// an undefined tensor.
inline void* Data(const Tensor& tensor) {
  return tensor.defined() ? const_cast<void*>(tensor.raw_data()) : nullptr;
}

// Elements as words of their size, for kernels that only move them: calls
// body.operator()<Word>() with the unsigned type of that many bytes.
template <class Body>
void VisitWord(size_t bytes, const Body& body) {
  switch (bytes) {
    case 1:
      return body.template operator()<uint8_t>();
    case 2:
      return body.template operator()<uint16_t>();
    case 4:
      return body.template operator()<uint32_t>();
    default:
      LOCKSTEP_CHECK(bytes == 8);
      return body.template operator()<uint64_t>();
  }
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_TENSOR_MEMORY_H_
