#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/equal_launch.h"
#include "reference/tensor/narrow_float.h"

namespace lockstep::cuda {

template <typename T>
cudaError_t Equal(const T* a, const T* b, bool* equal, int64_t count,
                  cudaStream_t stream) {
  return ForEach(count, stream,
                 [=] __device__(int64_t i) { equal[i] = a[i] == b[i]; });
}

#define LOCKSTEP_EQUAL(T) \
  template cudaError_t Equal(const T*, const T*, bool*, int64_t, cudaStream_t)
LOCKSTEP_EQUAL(float);
LOCKSTEP_EQUAL(double);
LOCKSTEP_EQUAL(BFloat16);
LOCKSTEP_EQUAL(Float16);
LOCKSTEP_EQUAL(int32_t);
LOCKSTEP_EQUAL(int64_t);
LOCKSTEP_EQUAL(uint8_t);
LOCKSTEP_EQUAL(bool);
#undef LOCKSTEP_EQUAL

}  // namespace lockstep::cuda
