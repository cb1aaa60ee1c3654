#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/block_sum.cuh"
#include "reference/kernels/cuda/reduce_launch.h"
#include "reference/tensor/narrow_float.h"

namespace lockstep::cuda {
namespace {

// A block a piece of a sum: its threads take turns, then add up as a tree.
template <typename T>
__global__ void __launch_bounds__(kThreadsPerBlock)
    SumRowsKernel(const T* x, ReductionPlan plan, int64_t sums, int64_t count,
                  Accumulator<T>* partial) {
  for (int64_t job = blockIdx.x; job < sums * plan.pieces; job += gridDim.x) {
    const T* first = x + plan.kept.Offset(job % sums);
    const int64_t begin = job / sums * plan.piece;
    const int64_t end = min(begin + plan.piece, count);
    const auto sum = BlockSumOf(begin, end, [&](int64_t i) {
      return static_cast<Accumulator<T>>(first[plan.summed.Offset(i)]);
    });
    if (threadIdx.x == 0) partial[job] = sum;
  }
}

template <typename Result>
__device__ Result Rounded(double sum, double divisor) {
  return static_cast<Result>(sum / divisor);
}

// Only the mean of integers, a double, is divided.
template <typename Result>
__device__ Result Rounded(uint64_t sum, double divisor) {
  if constexpr (std::is_same_v<Result, double>) {
    return static_cast<double>(static_cast<int64_t>(sum)) / divisor;
  } else {
    return static_cast<Result>(sum);
  }
}

}  // namespace

template <typename T>
cudaError_t SumPieces(const T* x, const ReductionPlan& given,
                      Accumulator<T>* partial, cudaStream_t stream) {
  const ReductionPlan plan = given;
  const int64_t sums = plan.kept.count();
  const int64_t count = plan.summed.count();
  const int64_t jobs = sums * plan.pieces;
  if (plan.along_rows) {
    const auto blocks =
        static_cast<unsigned>(jobs < kMostBlocks ? jobs : kMostBlocks);
    return Launch(SumRowsKernel<T>, blocks, stream, x, plan, sums, count,
                  partial);
  }
  // A thread a piece of a sum: neighbours read neighbouring columns.
  return ForEach(jobs, stream, [=] __device__(int64_t job) {
    const T* first = x + plan.kept.Offset(job % sums);
    const int64_t begin = job / sums * plan.piece;
    const int64_t end = min(begin + plan.piece, count);
    Accumulator<T> sum = 0;
    for (int64_t i = begin; i < end; ++i) {
      sum += static_cast<Accumulator<T>>(first[plan.summed.Offset(i)]);
    }
    partial[job] = sum;
  });
}

template <typename Sum, typename Result>
cudaError_t FinishSums(const Sum* partial, int64_t pieces, int64_t sums,
                       double divisor, Result* result, cudaStream_t stream) {
  return ForEach(sums, stream, [=] __device__(int64_t i) {
    Sum sum = 0;
    for (int64_t piece = 0; piece < pieces; ++piece) {
      sum += partial[piece * sums + i];
    }
    result[i] = Rounded<Result>(sum, divisor);
  });
}

#define LOCKSTEP_SUM(T)                                                    \
  template cudaError_t SumPieces(const T*, const ReductionPlan&,           \
                                 Accumulator<T>*, cudaStream_t);           \
  template cudaError_t FinishSums(const Accumulator<T>*, int64_t, int64_t, \
                                  double, T*, cudaStream_t)
LOCKSTEP_SUM(float);
LOCKSTEP_SUM(double);
LOCKSTEP_SUM(BFloat16);
LOCKSTEP_SUM(Float16);
LOCKSTEP_SUM(int32_t);
LOCKSTEP_SUM(int64_t);
#undef LOCKSTEP_SUM
template cudaError_t FinishSums(const uint64_t*, int64_t, int64_t, double,
                                double*, cudaStream_t);

}  // namespace lockstep::cuda
