#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/movement/cuda/movement_launch.h"

namespace lockstep::cuda {

template <typename Word, typename Index>
cudaError_t Gather(const Word* table, const Index* indices,
                   const GatherShape& shape, Word* out, cudaStream_t stream) {
  const GatherShape s = shape;
  return ForEach(s.indices * s.width, stream, [=] __device__(int64_t i) {
    const auto row = static_cast<int64_t>(indices[i / s.width]);
    const bool exists = row >= 0 && row < s.rows;
    out[i] = exists ? table[row * s.width + i % s.width] : Word{0};
  });
}

// A thread a column: the rows come in order, so sums round as on the host.
template <typename T, typename Index>
cudaError_t GatherBackward(const T* dy, const Index* indices,
                           const GatherShape& shape, T* dtable,
                           cudaStream_t stream) {
  const GatherShape s = shape;
  return ForEach(s.width, stream, [=] __device__(int64_t column) {
    for (int64_t i = 0; i < s.indices; ++i) {
      const auto row = static_cast<int64_t>(indices[i]);
      if (row < 0 || row >= s.rows) continue;
      dtable[row * s.width + column] += dy[i * s.width + column];
    }
  });
}

#define LOCKSTEP_GATHER(Word, Index)                                         \
  template cudaError_t Gather(const Word*, const Index*, const GatherShape&, \
                              Word*, cudaStream_t)
#define LOCKSTEP_GATHER_BACKWARD(T, Index)                    \
  template cudaError_t GatherBackward(const T*, const Index*, \
                                      const GatherShape&, T*, cudaStream_t)
#define LOCKSTEP_GATHERS(Index)           \
  LOCKSTEP_GATHER(uint8_t, Index);        \
  LOCKSTEP_GATHER(uint16_t, Index);       \
  LOCKSTEP_GATHER(uint32_t, Index);       \
  LOCKSTEP_GATHER(uint64_t, Index);       \
  LOCKSTEP_GATHER_BACKWARD(float, Index); \
  LOCKSTEP_GATHER_BACKWARD(double, Index)
LOCKSTEP_GATHERS(int32_t);
LOCKSTEP_GATHERS(int64_t);
LOCKSTEP_GATHERS(uint8_t);
#undef LOCKSTEP_GATHERS
#undef LOCKSTEP_GATHER_BACKWARD
#undef LOCKSTEP_GATHER

}  // namespace lockstep::cuda
