// Gathers rows of a table in a GPU's memory, and transposes matrices.
#ifndef LOCKSTEP_REFERENCE_KERNELS_MOVEMENT_CUDA_MOVEMENT_LAUNCH_H_
#define LOCKSTEP_REFERENCE_KERNELS_MOVEMENT_CUDA_MOVEMENT_LAUNCH_H_

#include <cuda_runtime_api.h>

#include <cstdint>

namespace lockstep::cuda {

struct GatherShape {
  int64_t rows;     // of the table
  int64_t width;    // elements of a row
  int64_t indices;  // the number of rows to gather
};

// out is [indices, width]; rows that do not exist are zeros. Words of 1, 2, 4
// or 8 bytes; indices int32_t, int64_t or uint8_t.
template <typename Word, typename Index>
cudaError_t Gather(const Word* table, const Index* indices,
                   const GatherShape& shape, Word* out, cudaStream_t stream);

// Adds each row of dy to the row it came from, in order. float, double.
// REQUIRES: dtable is all zeros.
template <typename T, typename Index>
cudaError_t GatherBackward(const T* dy, const Index* indices,
                           const GatherShape& shape, T* dtable,
                           cudaStream_t stream);

// y[m, c, r] = x[m, r, c] for matrices of rows x columns, with `count` elements
// in total. Words as Gather.
template <typename Word>
cudaError_t SwapLastAxes(const Word* x, int64_t rows, int64_t columns,
                         int64_t count, Word* y, cudaStream_t stream);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_MOVEMENT_CUDA_MOVEMENT_LAUNCH_H_
