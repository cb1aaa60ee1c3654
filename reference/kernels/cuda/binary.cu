#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/binary_launch.h"

namespace lockstep::cuda {

template <typename T>
cudaError_t Binary(BinaryOp op, const T* a, const StridedAxes& a_axes,
                   const T* b, const StridedAxes& b_axes, T* out,
                   cudaStream_t stream) {
  const StridedAxes at_a = a_axes;
  const StridedAxes at_b = b_axes;
  return ForEach(a_axes.count(), stream, [=] __device__(int64_t i) {
    out[i] = Apply(op, a[at_a.Offset(i)], b[at_b.Offset(i)]);
  });
}

template <typename Word>
cudaError_t CopyStrided(const Word* x, const StridedAxes& axes, Word* out,
                        cudaStream_t stream) {
  const StridedAxes at = axes;
  return ForEach(at.count(), stream,
                 [=] __device__(int64_t i) { out[i] = x[at.Offset(i)]; });
}

#define LOCKSTEP_BINARY(T)                                            \
  template cudaError_t Binary(BinaryOp, const T*, const StridedAxes&, \
                              const T*, const StridedAxes&, T*, cudaStream_t)
LOCKSTEP_BINARY(float);
LOCKSTEP_BINARY(double);
LOCKSTEP_BINARY(int32_t);
LOCKSTEP_BINARY(int64_t);
#undef LOCKSTEP_BINARY

#define LOCKSTEP_COPY(Word)                                                \
  template cudaError_t CopyStrided(const Word*, const StridedAxes&, Word*, \
                                   cudaStream_t)
LOCKSTEP_COPY(uint8_t);
LOCKSTEP_COPY(uint16_t);
LOCKSTEP_COPY(uint32_t);
LOCKSTEP_COPY(uint64_t);
#undef LOCKSTEP_COPY

}  // namespace lockstep::cuda
