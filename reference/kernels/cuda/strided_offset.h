// Offsets of an array's elements in a different memory layout.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_STRIDED_OFFSET_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_STRIDED_OFFSET_H_

#include <cstdint>

namespace lockstep::cuda {

// A few axes, the last one fastest. Passed to kernels by value.
struct StridedAxes {
  static constexpr int kMostAxes = 9;

  int rank = 0;
  int64_t sizes[kMostAxes];
  int64_t strides[kMostAxes];  // distances between neighbours

  constexpr void Append(int64_t size, int64_t stride) {
    sizes[rank] = size;
    strides[rank] = stride;
    ++rank;
  }
  constexpr int64_t count() const {
    int64_t product = 1;
    for (int i = 0; i < rank; ++i) product *= sizes[i];
    return product;
  }
  // The offset of element `index` in row-major order.
  constexpr int64_t Offset(int64_t index) const {
    int64_t offset = 0;
    for (int i = rank - 1; i > 0; --i) {
      const int64_t rest = Quotient(index, sizes[i]);
      offset += (index - rest * sizes[i]) * strides[i];
      index = rest;
    }
    return rank == 0 ? 0 : offset + index * strides[0];
  }

 private:
  // 64-bit division is several times slower on a GPU.
  static constexpr int64_t Quotient(int64_t a, int64_t b) {
    if (((a | b) >> 32) == 0) {
      return static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
    }
    return a / b;
  }
};

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_STRIDED_OFFSET_H_
