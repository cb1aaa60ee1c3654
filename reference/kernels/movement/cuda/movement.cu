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

// One thread per column adds the rows in order, so that sums round as on the
// host.
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

template <typename Word>
cudaError_t SwapLastAxes(const Word* x, int64_t rows, int64_t columns,
                         int64_t count, Word* y, cudaStream_t stream) {
  return ForEach(count, stream, [=] __device__(int64_t i) {
    const int64_t matrix = i / (rows * columns);
    const int64_t column = i / rows % columns;
    y[i] = x[(matrix * rows + i % rows) * columns + column];
  });
}
template cudaError_t SwapLastAxes(const uint8_t*, int64_t, int64_t, int64_t,
                                  uint8_t*, cudaStream_t);
template cudaError_t SwapLastAxes(const uint16_t*, int64_t, int64_t, int64_t,
                                  uint16_t*, cudaStream_t);
template cudaError_t SwapLastAxes(const uint32_t*, int64_t, int64_t, int64_t,
                                  uint32_t*, cudaStream_t);
template cudaError_t SwapLastAxes(const uint64_t*, int64_t, int64_t, int64_t,
                                  uint64_t*, cudaStream_t);

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
