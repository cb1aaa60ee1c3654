#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/arg_max_launch.h"
#include "reference/tensor/narrow_float.h"

namespace lockstep::cuda {

// A thread an answer: the axis is classes, and there are few of them.
template <typename T>
cudaError_t ArgMax(const T* x, int64_t outer, int64_t axis, int64_t inner,
                   int64_t* best, cudaStream_t stream) {
  return ForEach(outer * inner, stream, [=] __device__(int64_t i) {
    const T* first = x + i / inner * axis * inner + i % inner;
    int64_t found = 0;
    T top = *first;
    for (int64_t k = 1; k < axis; ++k) {
      const T value = first[k * inner];
      // False for a NaN on either side; only a first NaN may displace.
      if (value > top || (value != value && top == top)) {
        found = k;
        top = value;
      }
    }
    best[i] = found;
  });
}

#define LOCKSTEP_ARG_MAX(T)                                                  \
  template cudaError_t ArgMax(const T*, int64_t, int64_t, int64_t, int64_t*, \
                              cudaStream_t)
LOCKSTEP_ARG_MAX(float);
LOCKSTEP_ARG_MAX(double);
LOCKSTEP_ARG_MAX(BFloat16);
LOCKSTEP_ARG_MAX(Float16);
LOCKSTEP_ARG_MAX(int32_t);
LOCKSTEP_ARG_MAX(int64_t);
LOCKSTEP_ARG_MAX(uint8_t);
#undef LOCKSTEP_ARG_MAX

}  // namespace lockstep::cuda
