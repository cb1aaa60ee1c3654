#include <initializer_list>

#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/batch_norm_kernels.h"
#include "reference/kernels/cuda/cuda_types.cuh"

namespace lockstep::cuda {
namespace {

// A block works on this many channels side by side, and rows kTileRows apart.
constexpr int kTileChannels = 32;
constexpr int kTileRows = kThreadsPerBlock / kTileChannels;
// Blocks of rows are a matter of the sizes alone, never of the GPU: the order
// of additions is the same everywhere.
constexpr int64_t kLeastRows = 64;
constexpr int64_t kMostRowBlocks = 256;

struct Sizes {
  int64_t rows, channels, row_blocks, block_rows;
  double epsilon;
  bool relu;
};

Sizes MakeSizes(const BatchNormSizes& sizes) {
  const int64_t wanted = (sizes.rows + kLeastRows - 1) / kLeastRows;
  const int64_t blocks =
      wanted < 1 ? 1 : (wanted < kMostRowBlocks ? wanted : kMostRowBlocks);
  return {sizes.rows,    sizes.channels,
          blocks,        (sizes.rows + blocks - 1) / blocks,
          sizes.epsilon, sizes.relu};
}

// Where a thread is: blocks are numbered through the tiles of channels first.
struct Place {
  int64_t tiles, channel, part, row;
};

__device__ Place PlaceOf(const Sizes& s) {
  const int64_t tiles = (s.channels + kTileChannels - 1) / kTileChannels;
  return {tiles,
          blockIdx.x % tiles * kTileChannels + threadIdx.x % kTileChannels,
          blockIdx.x / tiles, threadIdx.x / kTileChannels};
}

// Two sums of a channel.
struct Pair {
  double first = 0;
  double second = 0;
};

// add(row, channel, pair) for all rows of a block; its two sums of each channel
// go to parts[block][0 or 1][channel].
template <class Add>
__device__ void SumBlock(const Sizes& s, double* parts, const Add& add) {
  __shared__ Pair shared[kTileRows][kTileChannels];
  const Place place = PlaceOf(s);
  const int lane = threadIdx.x % kTileChannels;
  const int64_t begin = place.part * s.block_rows;
  const int64_t limit = begin + s.block_rows;
  const int64_t end = limit < s.rows ? limit : s.rows;
  Pair mine;
  if (place.channel < s.channels) {
    for (int64_t row = begin + place.row; row < end; row += kTileRows) {
      add(row, place.channel, mine);
    }
  }
  shared[place.row][lane] = mine;
  __syncthreads();
  if (place.row != 0 || place.channel >= s.channels) return;
  for (int i = 1; i < kTileRows; ++i) {
    mine.first += shared[i][lane].first;
    mine.second += shared[i][lane].second;
  }
  double* to = parts + place.part * 2 * s.channels + place.channel;
  to[0] = mine.first;
  to[s.channels] = mine.second;
}

// All blocks' sums of a channel, in order.
__device__ Pair SumParts(const Sizes& s, const double* parts, int64_t channel) {
  Pair sum;
  for (int64_t block = 0; block < s.row_blocks; ++block) {
    const double* from = parts + block * 2 * s.channels + channel;
    sum.first += from[0];
    sum.second += from[s.channels];
  }
  return sum;
}

template <typename T>
__global__ void SumMoments(Sizes s, const T* x, double* parts) {
  SumBlock(s, parts, [&](int64_t row, int64_t channel, Pair& pair) {
    const double value = Widen(x[row * s.channels + channel]);
    pair.first += value;
    pair.second += value * value;
  });
}

template <typename P>
__global__ void FinishMoments(Sizes s, const double* parts, P* mean,
                              P* variance) {
  for (int64_t c = FirstElement(); c < s.channels; c += ElementStep()) {
    const Pair sums = SumParts(s, parts, c);
    const auto rows = static_cast<double>(s.rows);
    const double m = sums.first / rows;
    const double v = sums.second / rows - m * m;
    mean[c] = static_cast<P>(m);
    // Rounding alone can make it negative; a NaN has to stay.
    variance[c] = static_cast<P>(v < 0 ? 0 : v);
  }
}

template <typename P>
__device__ double Inverse(const P* variance, int64_t channel, double epsilon) {
  return 1 / sqrt(static_cast<double>(variance[channel]) + epsilon);
}

// gamma / sqrt(variance + epsilon) of each channel: once, not at each element.
template <typename P>
__global__ void Scales(Sizes s, const P* gamma, const P* variance, P* scales) {
  for (int64_t c = FirstElement(); c < s.channels; c += ElementStep()) {
    double scale = Inverse(variance, c, s.epsilon);
    if (gamma != nullptr) scale *= static_cast<double>(gamma[c]);
    scales[c] = static_cast<P>(scale);
  }
}

// body(channel, begin, end, step): a thread's elements are all of one channel,
// so that what belongs to the channel is read once.
template <class Body>
__device__ void ForColumn(const Sizes& s, const Body& body) {
  const Place place = PlaceOf(s);
  if (place.channel >= s.channels) return;
  const int64_t first = place.part * kTileRows + place.row;
  const int64_t parts = gridDim.x / place.tiles;
  body(place.channel, first * s.channels + place.channel, s.rows * s.channels,
       parts * kTileRows * s.channels);
}

template <typename T, typename P>
__global__ void Apply(Sizes s, const T* x, const P* scales, const P* beta,
                      const T* addend, const P* mean, T* y) {
  ForColumn(s, [&](int64_t c, int64_t begin, int64_t end, int64_t step) {
    const P m = mean[c];
    const P scale = scales[c];
    const P offset = beta == nullptr ? P(0) : beta[c];
    for (int64_t i = begin; i < end; i += step) {
      P value = (Widen(x[i]) - m) * scale + offset;
      if (addend != nullptr) value += Widen(addend[i]);
      if (s.relu && value <= 0) value = 0;  // NaN stays
      y[i] = static_cast<T>(value);
    }
  });
}

// dy where ReLU let y through.
template <typename T>
__device__ Compute<T> Masked(const T* y, const T* dy, int64_t i) {
  return y == nullptr || Widen(y[i]) > 0 ? Widen(dy[i]) : Compute<T>(0);
}

template <typename T, typename P>
__global__ void SumGradients(Sizes s, const T* x, const T* y, const T* dy,
                             const P* mean, double* parts) {
  SumBlock(s, parts, [&](int64_t row, int64_t channel, Pair& pair) {
    const int64_t i = row * s.channels + channel;
    const double dz = Masked(y, dy, i);
    pair.first += dz;
    pair.second += dz * (static_cast<double>(Widen(x[i])) - mean[channel]);
  });
}

// Writes gamma's and beta's gradients, and what x's needs: scale, shift and slope
// of each channel.
template <typename P>
__global__ void FinishGradients(Sizes s, bool constants, const P* gamma,
                                const P* variance, const double* parts,
                                P* d_gamma, P* d_beta, double* coefficients) {
  for (int64_t c = FirstElement(); c < s.channels; c += ElementStep()) {
    const Pair sums = SumParts(s, parts, c);
    const double inverse = Inverse(variance, c, s.epsilon);
    const double factor =
        gamma == nullptr ? inverse : inverse * static_cast<double>(gamma[c]);
    const double slope = sums.second * inverse;
    const auto rows = static_cast<double>(s.rows);
    d_beta[c] = static_cast<P>(sums.first);
    d_gamma[c] = static_cast<P>(slope);
    coefficients[c] = factor;
    coefficients[s.channels + c] = constants ? 0 : factor * sums.first / rows;
    coefficients[2 * s.channels + c] =
        constants ? 0 : factor * slope * inverse / rows;
  }
}

template <typename T, typename P>
__global__ void ApplyGradients(Sizes s, const T* x, const T* y, const T* dy,
                               const P* mean, const double* coefficients, T* dx,
                               T* d_addend) {
  ForColumn(s, [&](int64_t c, int64_t begin, int64_t end, int64_t step) {
    const P m = mean[c];
    const P scale = static_cast<P>(coefficients[c]);
    const P shift = static_cast<P>(coefficients[s.channels + c]);
    const P slope = static_cast<P>(coefficients[2 * s.channels + c]);
    for (int64_t i = begin; i < end; i += step) {
      const P dz = Masked(y, dy, i);
      dx[i] = static_cast<T>(dz * scale - shift - (Widen(x[i]) - m) * slope);
      if (d_addend != nullptr) d_addend[i] = static_cast<T>(dz);
    }
  });
}

unsigned Tiles(const Sizes& s) {
  return static_cast<unsigned>((s.channels + kTileChannels - 1) /
                               kTileChannels);
}

unsigned SumBlocks(const Sizes& s) {
  return Tiles(s) * static_cast<unsigned>(s.row_blocks);
}

unsigned ColumnBlocks(const Sizes& s) {
  constexpr int64_t kRowsEach = 4;  // of a thread, at least
  constexpr int64_t kMostParts = 65535;
  const int64_t wanted =
      (s.rows + kTileRows * kRowsEach - 1) / (kTileRows * kRowsEach);
  return Tiles(s) *
         static_cast<unsigned>(wanted < kMostParts ? wanted : kMostParts);
}

// What the first launch that failed gave.
cudaError_t FirstError(std::initializer_list<cudaError_t> statuses) {
  for (const cudaError_t status : statuses) {
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

template <typename T>
cudaError_t Gradient(cudaStream_t stream, const Sizes& s,
                     const BatchNormArrays& a, bool constants,
                     double* scratch) {
  using P = Compute<T>;
  const auto* x = static_cast<const T*>(a.x);
  const auto* y = s.relu ? static_cast<const T*>(a.y) : nullptr;
  const auto* dy = static_cast<const T*>(a.dy);
  const auto* mean = static_cast<const P*>(a.mean);
  double* coefficients = scratch + s.row_blocks * 2 * s.channels;
  return FirstError(
      {Launch(SumGradients<T, P>, SumBlocks(s), stream, s, x, y, dy, mean,
              scratch),
       Launch(FinishGradients<P>, BlocksFor(s.channels), stream, s, constants,
              static_cast<const P*>(a.gamma), static_cast<const P*>(a.variance),
              scratch, static_cast<P*>(a.d_gamma), static_cast<P*>(a.d_beta),
              coefficients),
       Launch(ApplyGradients<T, P>, ColumnBlocks(s), stream, s, x, y, dy, mean,
              coefficients, static_cast<T*>(a.dx),
              static_cast<T*>(a.d_addend))});
}

}  // namespace

int64_t BatchNormScratch(const BatchNormSizes& sizes) {
  return (MakeSizes(sizes).row_blocks * 2 + 3) * sizes.channels;
}

cudaError_t BatchNormMoments(cudaStream_t stream, const BatchNormSizes& sizes,
                             const BatchNormArrays& arrays, double* scratch) {
  const Sizes s = MakeSizes(sizes);
  cudaError_t status = cudaSuccess;
  VisitCudaFloat(sizes.dtype, [&]<typename T>() {
    using P = Compute<T>;
    status = FirstError({Launch(SumMoments<T>, SumBlocks(s), stream, s,
                                static_cast<const T*>(arrays.x), scratch),
                         Launch(FinishMoments<P>, BlocksFor(s.channels), stream,
                                s, scratch, static_cast<P*>(arrays.mean),
                                static_cast<P*>(arrays.variance))});
  });
  return status;
}

cudaError_t BatchNormApply(cudaStream_t stream, const BatchNormSizes& sizes,
                           const BatchNormArrays& arrays, double* scratch) {
  const Sizes s = MakeSizes(sizes);
  if (s.rows == 0) return cudaSuccess;
  cudaError_t status = cudaSuccess;
  VisitCudaFloat(sizes.dtype, [&]<typename T>() {
    using P = Compute<T>;
    auto* scales = reinterpret_cast<P*>(scratch);
    status = FirstError({Launch(Scales<P>, BlocksFor(s.channels), stream, s,
                                static_cast<const P*>(arrays.gamma),
                                static_cast<const P*>(arrays.variance), scales),
                         Launch(Apply<T, P>, ColumnBlocks(s), stream, s,
                                static_cast<const T*>(arrays.x), scales,
                                static_cast<const P*>(arrays.beta),
                                static_cast<const T*>(arrays.addend),
                                static_cast<const P*>(arrays.mean),
                                static_cast<T*>(arrays.y))});
  });
  return status;
}

cudaError_t BatchNormGradient(cudaStream_t stream, const BatchNormSizes& sizes,
                              const BatchNormArrays& arrays,
                              bool moments_are_constants, double* scratch) {
  if (sizes.rows == 0) return cudaErrorInvalidValue;
  cudaError_t status = cudaSuccess;
  VisitCudaFloat(sizes.dtype, [&]<typename T>() {
    status = Gradient<T>(stream, MakeSizes(sizes), arrays,
                         moments_are_constants, scratch);
  });
  return status;
}

}  // namespace lockstep::cuda
