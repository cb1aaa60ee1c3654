#include "reference/kernels/convolution/cuda/transpose.h"

namespace lockstep::cuda {
namespace {

constexpr int kTile = 32;
constexpr int kTileRows = 8;  // rows of threads; each copies kTile / kTileRows

// One more column, so that the elements of a tile's column are in different
// memory banks.
template <typename T>
__global__ void TransposeKernel(const T* from, T* to, int64_t rows,
                                int64_t columns, int64_t column_tiles) {
  __shared__ T tile[kTile][kTile + 1];
  const int64_t row = blockIdx.x / column_tiles * kTile;
  const int64_t column = blockIdx.x % column_tiles * kTile;
  for (int i = threadIdx.y; i < kTile; i += kTileRows) {
    if (row + i < rows && column + threadIdx.x < columns) {
      tile[i][threadIdx.x] = from[(row + i) * columns + column + threadIdx.x];
    }
  }
  __syncthreads();
  for (int i = threadIdx.y; i < kTile; i += kTileRows) {
    if (column + i < columns && row + threadIdx.x < rows) {
      to[(column + i) * rows + row + threadIdx.x] = tile[threadIdx.x][i];
    }
  }
}

template <typename T>
cudaError_t Launch(cudaStream_t stream, const void* from, void* to,
                   int64_t rows, int64_t columns) {
  const int64_t row_tiles = (rows + kTile - 1) / kTile;
  const int64_t column_tiles = (columns + kTile - 1) / kTile;
  const dim3 blocks(static_cast<unsigned>(row_tiles * column_tiles));
  TransposeKernel<T><<<blocks, dim3(kTile, kTileRows), 0, stream>>>(
      static_cast<const T*>(from), static_cast<T*>(to), rows, columns,
      column_tiles);
  return cudaGetLastError();
}

}  // namespace

cudaError_t Transpose(cudaStream_t stream, size_t element_bytes,
                      const void* from, void* to, int64_t rows,
                      int64_t columns) {
  if (rows == 0 || columns == 0) return cudaSuccess;
  switch (element_bytes) {
    case 2:
      return Launch<uint16_t>(stream, from, to, rows, columns);
    case 4:
      return Launch<uint32_t>(stream, from, to, rows, columns);
    case 8:
      return Launch<uint64_t>(stream, from, to, rows, columns);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace lockstep::cuda
