#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/in_place_launch.h"
#include "reference/kernels/wrapping_sum.h"
#include "reference/tensor/narrow_float.h"

namespace lockstep::cuda {

template <typename T>
cudaError_t AddInPlace(T* target, const T* delta, int64_t count,
                       cudaStream_t stream) {
  return ForEach(count, stream, [=] __device__(int64_t i) {
    target[i] = kernels_internal::WrappingAdd(target[i], delta[i]);
  });
}

template <typename T>
cudaError_t SubtractInPlace(T* target, const T* delta, int64_t count,
                            cudaStream_t stream) {
  return ForEach(count, stream, [=] __device__(int64_t i) {
    target[i] = kernels_internal::WrappingSubtract(target[i], delta[i]);
  });
}

template <typename Word>
cudaError_t AssignWhere(const bool* condition, Word* target, const Word* value,
                        int64_t count, cudaStream_t stream) {
  return ForEach(count, stream, [=] __device__(int64_t i) {
    if (*condition) target[i] = value[i];
  });
}

#define LOCKSTEP_IN_PLACE(T)                                            \
  template cudaError_t AddInPlace(T*, const T*, int64_t, cudaStream_t); \
  template cudaError_t SubtractInPlace(T*, const T*, int64_t, cudaStream_t)
LOCKSTEP_IN_PLACE(float);
LOCKSTEP_IN_PLACE(double);
LOCKSTEP_IN_PLACE(BFloat16);
LOCKSTEP_IN_PLACE(Float16);
LOCKSTEP_IN_PLACE(int32_t);
LOCKSTEP_IN_PLACE(int64_t);
LOCKSTEP_IN_PLACE(uint8_t);
#undef LOCKSTEP_IN_PLACE

#define LOCKSTEP_ASSIGN_WHERE(Word)                                          \
  template cudaError_t AssignWhere(const bool*, Word*, const Word*, int64_t, \
                                   cudaStream_t)
LOCKSTEP_ASSIGN_WHERE(uint8_t);
LOCKSTEP_ASSIGN_WHERE(uint16_t);
LOCKSTEP_ASSIGN_WHERE(uint32_t);
LOCKSTEP_ASSIGN_WHERE(uint64_t);
#undef LOCKSTEP_ASSIGN_WHERE

}  // namespace lockstep::cuda
