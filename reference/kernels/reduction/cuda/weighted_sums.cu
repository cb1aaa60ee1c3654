#include <cmath>

#include "reference/kernels/cuda/lane_sum.cuh"
#include "reference/kernels/reduction/cuda/reduction_launch.h"

namespace lockstep::cuda {
namespace {

constexpr int64_t kShortestPiece = 4096;  // the shortest piece worth a block

// Several sums at once.
struct Sums {
  double at[kWeightedSums];

  __device__ Sums& operator+=(const Sums& other) {
    for (int i = 0; i < kWeightedSums; ++i) at[i] += other.at[i];
    return *this;
  }
};

struct WeightedTerms {
  const float* values;
  ElementWeights weights;

  __device__ Sums operator()(int64_t i) const {
    return {{double{values[i]} * weights.At(i), weights.At(i)}};
  }
};

struct ConfusionTerms {
  const float* labels;
  const float* scores;
  double threshold;
  ElementWeights weights;

  __device__ Sums operator()(int64_t i) const {
    const float label = labels[i];
    const bool positive = scores[i] > threshold;
    Sums sums{};
    if (positive && label == 1) sums.at[0] = weights.At(i);
    if (positive && label == 0) sums.at[1] = weights.At(i);
    if (!positive && label == 1) sums.at[2] = weights.At(i);
    if (label != 0 && label != 1) sums.at[3] = 1;
    return sums;
  }
};

struct ScratchTerms {
  const double* pieces;

  __device__ Sums operator()(int64_t i) const {
    Sums sums;
    for (int k = 0; k < kWeightedSums; ++k) {
      sums.at[k] = pieces[kWeightedSums * i + k];
    }
    return sums;
  }
};

struct ToScratch {
  double* pieces;

  __device__ void operator()(const Sums& sums) const {
    for (int k = 0; k < kWeightedSums; ++k) {
      pieces[kWeightedSums * blockIdx.x + k] = sums.at[k];
    }
  }
};

struct ToWeighted {
  float* results;

  __device__ void operator()(const Sums& sums) const {
    for (int k = 0; k < 2; ++k) results[k] = static_cast<float>(sums.at[k]);
  }
};

struct ToConfusion {
  float* results;

  __device__ void operator()(const Sums& sums) const {
    const float mark = sums.at[3] > 0 ? NAN : 0.0f;
    for (int k = 0; k < 3; ++k) {
      results[k] = static_cast<float>(sums.at[k]) + mark;
    }
  }
};

// One block per piece.
template <class Terms, class Put>
__global__ void __launch_bounds__(kThreadsPerBlock)
    SumPieceKernel(Terms terms, int64_t count, int64_t piece, Put put) {
  const int64_t begin = blockIdx.x * piece;
  const Sums sums = LaneSum<kRowLanes>(begin, min(begin + piece, count), terms);
  if (threadIdx.x == 0) put(sums);
}

int64_t PieceLength(int64_t count) {
  const int64_t length = (count + kMostPieces - 1) / kMostPieces;
  return length > kShortestPiece ? length : kShortestPiece;
}

int64_t PieceCount(int64_t count) {
  const int64_t length = PieceLength(count);
  return count <= length ? 1 : (count + length - 1) / length;
}

template <class Terms, class Put>
cudaError_t SumInPieces(const Terms& terms, int64_t count, double* scratch,
                        const Put& put, cudaStream_t stream) {
  const int64_t pieces = PieceCount(count);
  if (pieces == 1) {
    return Launch(SumPieceKernel<Terms, Put>, 1, stream, terms, count, count,
                  put);
  }
  const cudaError_t status =
      Launch(SumPieceKernel<Terms, ToScratch>, static_cast<unsigned>(pieces),
             stream, terms, count, PieceLength(count), ToScratch{scratch});
  if (status != cudaSuccess) return status;
  return Launch(SumPieceKernel<ScratchTerms, Put>, 1, stream,
                ScratchTerms{scratch}, pieces, pieces, put);
}

}  // namespace

int64_t WeightedSumsScratch(int64_t count) {
  const int64_t pieces = PieceCount(count);
  return pieces == 1 ? 0 : pieces * kWeightedSums;
}

cudaError_t WeightedSums(const float* values, const ElementWeights& weights,
                         int64_t count, double* scratch, float* sums,
                         cudaStream_t stream) {
  return SumInPieces(WeightedTerms{values, weights}, count, scratch,
                     ToWeighted{sums}, stream);
}

cudaError_t ConfusionSums(const float* labels, const float* scores,
                          double threshold, const ElementWeights& weights,
                          int64_t count, double* scratch, float* sums,
                          cudaStream_t stream) {
  return SumInPieces(ConfusionTerms{labels, scores, threshold, weights}, count,
                     scratch, ToConfusion{sums}, stream);
}

}  // namespace lockstep::cuda
