#include <algorithm>
#include <initializer_list>

#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/cuda_types.cuh"
#include "reference/kernels/cuda/lane_sum.cuh"
#include "reference/kernels/normalization/cuda/batch_norm_launch.h"

namespace lockstep::cuda {
namespace {

// A block processes this many neighbouring channels, and rows kTileRows apart.
constexpr int kTileRows = kColumnLanes;
constexpr int kTileChannels = kTileSums<kColumnLanes>;
// Blocks of rows depend on the sizes only, never on the GPU, so that the order
// of additions is the same everywhere. With 32 channels each, there are about
// enough blocks to fill a large GPU.
constexpr int64_t kLeastRows = 64;
constexpr int64_t kWantedBlocks = 1024;
constexpr int64_t kBlockChannels = 32;

struct Sizes {
  int64_t rows, channels, row_blocks, block_rows;
  double epsilon;
  bool relu;
};

int64_t Ceiling(int64_t a, int64_t b) { return (a + b - 1) / b; }

Sizes MakeSizes(const BatchNormSizes& sizes) {
  const int64_t useful = Ceiling(sizes.rows, kLeastRows);
  const int64_t wanted =
      kWantedBlocks / Ceiling(sizes.channels, kBlockChannels);
  const int64_t blocks =
      std::max<int64_t>(std::min({useful, wanted, int64_t{kMostPieces}}), 1);
  return {sizes.rows,    sizes.channels, blocks, Ceiling(sizes.rows, blocks),
          sizes.epsilon, sizes.relu};
}

// The position of a thread. Blocks are numbered by tiles of channels first.
struct Place {
  int64_t tiles, channel, part, row;
};

__device__ Place PlaceOf(const Sizes& s) {
  const int64_t tiles = (s.channels + kTileChannels - 1) / kTileChannels;
  return {tiles,
          blockIdx.x % tiles * kTileChannels + threadIdx.x % kTileChannels,
          blockIdx.x / tiles, threadIdx.x / kTileChannels};
}

// Two sums per channel.
struct Pair {
  double first;
  double second;

  __device__ Pair& operator+=(const Pair& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

// Writes the sums of term(row, channel) over the rows of a block to
// parts[block][0 or 1][channel].
template <class Term>
__device__ void SumBlock(const Sizes& s, double* parts, const Term& term) {
  const Place place = PlaceOf(s);
  const bool is_channel = place.channel < s.channels;
  const int64_t begin = place.part * s.block_rows;
  const int64_t limit = begin + s.block_rows;
  const int64_t end = limit < s.rows ? limit : s.rows;
  const Pair sums = LaneSum<kColumnLanes>(
      begin, is_channel ? end : begin,
      [&](int64_t row) { return term(row, place.channel); });
  if (!is_channel || !IsFirstLane<kColumnLanes>()) return;
  double* to = parts + place.part * 2 * s.channels + place.channel;
  to[0] = sums.first;
  to[s.channels] = sums.second;
}

// Calls body(channel, sums) once per channel with the sums over all blocks.
template <class Body>
__device__ void ForSums(const Sizes& s, const double* parts, const Body& body) {
  constexpr int kTile = kTileSums<kPieceLanes>;
  const int64_t channel = int64_t{blockIdx.x} * kTile + threadIdx.x % kTile;
  const bool is_channel = channel < s.channels;
  const double* first = parts + channel;
  const Pair sums = LaneSum<kPieceLanes>(
      0, is_channel ? s.row_blocks : 0, [&](int64_t block) {
        const double* from = first + block * 2 * s.channels;
        return Pair{from[0], from[s.channels]};
      });
  if (is_channel && IsFirstLane<kPieceLanes>()) body(channel, sums);
}

template <typename T>
__global__ void SumMoments(Sizes s, const T* x, double* parts) {
  SumBlock(s, parts, [&](int64_t row, int64_t channel) {
    const double value = Widen(x[row * s.channels + channel]);
    return Pair{value, value * value};
  });
}

template <typename P>
__global__ void FinishMoments(Sizes s, const double* parts, P* mean,
                              P* variance) {
  ForSums(s, parts, [&](int64_t c, const Pair& sums) {
    const auto rows = static_cast<double>(s.rows);
    const double m = sums.first / rows;
    const double v = sums.second / rows - m * m;
    mean[c] = static_cast<P>(m);
    // Rounding can make it negative. A NaN must stay.
    variance[c] = static_cast<P>(v < 0 ? 0 : v);
  });
}

template <typename P>
__device__ double Inverse(const P* variance, int64_t channel, double epsilon) {
  return 1 / sqrt(static_cast<double>(variance[channel]) + epsilon);
}

// gamma / sqrt(variance + epsilon) per channel, computed once instead of per
// element.
template <typename P>
__global__ void Scales(Sizes s, const P* gamma, const P* variance, P* scales) {
  for (int64_t c = FirstElement(); c < s.channels; c += GridStride()) {
    double scale = Inverse(variance, c, s.epsilon);
    if (gamma != nullptr) scale *= static_cast<double>(gamma[c]);
    scales[c] = static_cast<P>(scale);
  }
}

// Calls body(channel, begin, end, stride). A thread's elements belong to one
// channel, so that values per channel are read once.
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
  ForColumn(s, [&](int64_t c, int64_t begin, int64_t end, int64_t stride) {
    const P m = mean[c];
    const P scale = scales[c];
    const P offset = beta == nullptr ? P(0) : beta[c];
    for (int64_t i = begin; i < end; i += stride) {
      P value = (Widen(x[i]) - m) * scale + offset;
      if (addend != nullptr) value += Widen(addend[i]);
      if (s.relu && value <= 0) value = 0;  // NaN stays
      y[i] = static_cast<T>(value);
    }
  });
}

// dy where ReLU passed y, else 0.
template <typename T>
__device__ Compute<T> Masked(const T* y, const T* dy, int64_t i) {
  return y == nullptr || Widen(y[i]) > 0 ? Widen(dy[i]) : Compute<T>(0);
}

template <typename T, typename P>
__global__ void SumGradients(Sizes s, const T* x, const T* y, const T* dy,
                             const P* mean, double* parts) {
  SumBlock(s, parts, [&](int64_t row, int64_t channel) {
    const int64_t i = row * s.channels + channel;
    const double dz = Masked(y, dy, i);
    return Pair{dz, dz * (static_cast<double>(Widen(x[i])) - mean[channel])};
  });
}

// Writes the gradients of gamma and beta, and the coefficients of x's gradient:
// scale, shift and slope per channel.
template <typename P>
__global__ void FinishGradients(Sizes s, bool constants, const P* gamma,
                                const P* variance, const double* parts,
                                P* d_gamma, P* d_beta, double* coefficients) {
  ForSums(s, parts, [&](int64_t c, const Pair& sums) {
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
  });
}

template <typename T, typename P>
__global__ void ApplyGradients(Sizes s, const T* x, const T* y, const T* dy,
                               const P* mean, const double* coefficients, T* dx,
                               T* d_addend) {
  ForColumn(s, [&](int64_t c, int64_t begin, int64_t end, int64_t stride) {
    const P m = mean[c];
    const P scale = static_cast<P>(coefficients[c]);
    const P shift = static_cast<P>(coefficients[s.channels + c]);
    const P slope = static_cast<P>(coefficients[2 * s.channels + c]);
    for (int64_t i = begin; i < end; i += stride) {
      const P dz = Masked(y, dy, i);
      dx[i] = static_cast<T>(dz * scale - shift - (Widen(x[i]) - m) * slope);
      if (d_addend != nullptr) d_addend[i] = static_cast<T>(dz);
    }
  });
}

unsigned Tiles(const Sizes& s) {
  return static_cast<unsigned>(Ceiling(s.channels, kTileChannels));
}

unsigned FinishBlocks(const Sizes& s) {
  return static_cast<unsigned>(Ceiling(s.channels, kTileSums<kPieceLanes>));
}

unsigned SumBlocks(const Sizes& s) {
  return Tiles(s) * static_cast<unsigned>(s.row_blocks);
}

unsigned ColumnBlocks(const Sizes& s) {
  constexpr int64_t kRowsEach = 4;  // the minimum per thread
  constexpr int64_t kMostParts = 65535;
  const int64_t wanted =
      (s.rows + kTileRows * kRowsEach - 1) / (kTileRows * kRowsEach);
  return Tiles(s) *
         static_cast<unsigned>(wanted < kMostParts ? wanted : kMostParts);
}

// The error of the first launch that failed.
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
       Launch(FinishGradients<P>, FinishBlocks(s), stream, s, constants,
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
                         Launch(FinishMoments<P>, FinishBlocks(s), stream, s,
                                scratch, static_cast<P*>(arrays.mean),
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
