#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/lane_sum.cuh"
#include "reference/kernels/reduction/cuda/reduction_launch.h"
#include "reference/tensor/narrow_float.h"

namespace lockstep::cuda {
namespace {

// The terms: Of(sum)(i) is element i of a sum.
template <typename T>
struct Elements {
  const T* x;
  ReductionPlan plan;

  __device__ auto Of(int64_t sum) const {
    return [first = x + plan.kept.Offset(sum), this](int64_t i) {
      return static_cast<Accumulator<T>>(first[plan.summed.Offset(i)]);
    };
  }
};

template <typename Sum>
struct Pieces {
  const Sum* partial;  // [pieces, sums]
  int64_t sums;

  __device__ auto Of(int64_t sum) const {
    return [first = partial + sum, this](int64_t i) { return first[i * sums]; };
  }
};

// Stores the sums.
template <typename Sum>
struct ToPieces {
  Sum* partial;

  __device__ void operator()(int64_t at, Sum sum) const { partial[at] = sum; }
};

template <typename Result>
struct ToResults {
  Result* results;
  double divisor;

  __device__ void operator()(int64_t at, double sum) const {
    results[at] = static_cast<Result>(sum / divisor);
  }
  // Only means of integers, which are doubles, are divided.
  __device__ void operator()(int64_t at, uint64_t sum) const {
    if constexpr (std::is_same_v<Result, double>) {
      results[at] = static_cast<double>(static_cast<int64_t>(sum)) / divisor;
    } else {
      results[at] = static_cast<Result>(sum);
    }
  }
};

// `count` elements for each of `sums` sums, in pieces of `piece`.
struct Extent {
  int64_t sums;
  int64_t count;
  int64_t piece;
  int64_t pieces;

  // The end of the piece that begins at `begin`.
  __device__ int64_t EndOf(int64_t begin) const {
    return min(begin + piece, count);
  }
};

// One block per piece of a sum.
template <class Terms, class Put>
__global__ void __launch_bounds__(kThreadsPerBlock)
    SumRowsKernel(const __grid_constant__ Terms terms, Extent extent, Put put) {
  for (int64_t job = blockIdx.x; job < extent.sums * extent.pieces;
       job += gridDim.x) {
    const int64_t begin = job / extent.sums * extent.piece;
    const auto sum = LaneSum<kRowLanes>(begin, extent.EndOf(begin),
                                        terms.Of(job % extent.sums));
    if (threadIdx.x == 0) put(job, sum);
  }
}

// One block per piece of a tile of sums, so that neighbouring threads read
// neighbouring sums.
template <int kLanes, class Terms, class Put>
__global__ void __launch_bounds__(kThreadsPerBlock)
    SumColumnsKernel(const __grid_constant__ Terms terms, Extent extent,
                     Put put) {
  constexpr int kTile = kTileSums<kLanes>;
  const int64_t tiles = (extent.sums + kTile - 1) / kTile;
  for (int64_t job = blockIdx.x; job < tiles * extent.pieces;
       job += gridDim.x) {
    const int64_t sum = job % tiles * kTile + threadIdx.x % kTile;
    const bool is_sum = sum < extent.sums;
    const int64_t begin = job / tiles * extent.piece;
    const auto total =
        LaneSum<kLanes>(begin, is_sum ? extent.EndOf(begin) : begin,
                        terms.Of(is_sum ? sum : 0));
    if (is_sum && IsFirstLane<kLanes>()) {
      put(job / tiles * extent.sums + sum, total);
    }
  }
}

unsigned AtMost(int64_t blocks) {
  return static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks);
}

template <int kLanes, class Terms, class Put>
cudaError_t SumColumns(const Terms& terms, const Extent& extent, const Put& put,
                       cudaStream_t stream) {
  constexpr int64_t kTile = kTileSums<kLanes>;
  const int64_t tiles = (extent.sums + kTile - 1) / kTile;
  return Launch(SumColumnsKernel<kLanes, Terms, Put>,
                AtMost(tiles * extent.pieces), stream, terms, extent, put);
}

template <class Terms, class Put>
cudaError_t SumPieces(const Terms& terms, const ReductionPlan& plan,
                      const Put& put, cudaStream_t stream) {
  const Extent extent{plan.kept.count(), plan.summed.count(), plan.piece,
                      plan.pieces};
  if (!plan.along_rows) {
    return SumColumns<kColumnLanes>(terms, extent, put, stream);
  }
  return Launch(SumRowsKernel<Terms, Put>, AtMost(extent.sums * extent.pieces),
                stream, terms, extent, put);
}

}  // namespace

template <typename T, typename Result>
cudaError_t Sum(const T* x, const ReductionPlan& plan, double divisor,
                Accumulator<T>* partial, Result* results, cudaStream_t stream) {
  const Elements<T> elements{x, plan};
  const ToResults<Result> to_results{results, divisor};
  if (plan.pieces == 1) return SumPieces(elements, plan, to_results, stream);
  const cudaError_t status =
      SumPieces(elements, plan, ToPieces<Accumulator<T>>{partial}, stream);
  if (status != cudaSuccess) return status;
  const int64_t sums = plan.kept.count();
  return SumColumns<kPieceLanes>(
      Pieces<Accumulator<T>>{partial, sums},
      Extent{sums, plan.pieces, /*piece=*/plan.pieces, /*pieces=*/1},
      to_results, stream);
}

template <typename T, typename Result>
cudaError_t SumOfNothing(int64_t sums, double divisor, Result* results,
                         cudaStream_t stream) {
  return ForEach(sums, stream, [=] __device__(int64_t i) {
    ToResults<Result>{results, divisor}(i, Accumulator<T>{0});
  });
}

#define LOCKSTEP_SUM(T, Result)                                     \
  template cudaError_t Sum(const T*, const ReductionPlan&, double,  \
                           Accumulator<T>*, Result*, cudaStream_t); \
  template cudaError_t SumOfNothing<T>(int64_t, double, Result*, cudaStream_t)
LOCKSTEP_SUM(float, float);
LOCKSTEP_SUM(double, double);
LOCKSTEP_SUM(BFloat16, BFloat16);
LOCKSTEP_SUM(Float16, Float16);
LOCKSTEP_SUM(int32_t, int32_t);
LOCKSTEP_SUM(int64_t, int64_t);
LOCKSTEP_SUM(int32_t, double);
LOCKSTEP_SUM(int64_t, double);
#undef LOCKSTEP_SUM

// One thread per result: the axis is usually a few classes.
template <typename T>
cudaError_t ArgMax(const T* x, int64_t outer, int64_t axis, int64_t inner,
                   int64_t* best, cudaStream_t stream) {
  return ForEach(outer * inner, stream, [=] __device__(int64_t i) {
    const T* first = x + i / inner * axis * inner + i % inner;
    int64_t found = 0;
    T top = *first;
    for (int64_t k = 1; k < axis; ++k) {
      const T value = first[k * inner];
      // False for NaN on either side; only the first NaN wins.
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
