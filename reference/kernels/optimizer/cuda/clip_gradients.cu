#include <cmath>

#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/lane_sum.cuh"
#include "reference/kernels/elementwise/element_math.h"
#include "reference/kernels/optimizer/cuda/clip_gradients_launch.h"
#include "reference/kernels/optimizer/cuda/for_each_element.cuh"

namespace lockstep::cuda {
namespace {

template <typename T>
__global__ void __launch_bounds__(kThreadsPerBlock)
    SumSquaresKernel(const __grid_constant__ VariableList<T> list,
                     double* sums) {
  const BlockPart<T> part = PartOfBlock(list);
  const double sum = LaneSum<kRowLanes>(part.begin, part.end, [&](int64_t i) {
    const double element = part.item.gradient[i];
    return element * element;
  });
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// The length that belongs to the sums of squares [begin, end), in all threads.
__device__ inline double Length(const double* sums, int64_t begin,
                                int64_t end) {
  return std::sqrt(
      LaneSum<kRowLanes>(begin, end, [sums](int64_t i) { return sums[i]; }));
}

// One block per variable.
template <typename T>
__global__ void __launch_bounds__(kThreadsPerBlock)
    NormFactorsKernel(const __grid_constant__ VariableList<T> list,
                      const double* sums, double norm, double* factors) {
  const int item = static_cast<int>(blockIdx.x);
  const double length =
      Length(sums, list.FirstBlockOf(item), list.FirstBlockOf(item + 1));
  if (threadIdx.x == 0) factors[item] = length > norm ? norm / length : 1;
}

// One block. Unlike above, a NaN is passed on.
__global__ void __launch_bounds__(kThreadsPerBlock)
    GlobalNormFactorKernel(const double* sums, int64_t count, double norm,
                           double* factor) {
  const double length = Length(sums, 0, count);
  if (threadIdx.x == 0) *factor = length <= norm ? 1 : norm / length;
}

template <typename T>
struct ScaleRule {
  const double* factors;
  bool one_for_all;

  __device__ auto Prepared(int index) const {
    return [factor = factors[one_for_all ? 0 : index]](
               const typename VariableList<T>::Item& item, int64_t i) {
      item.variable[i] = static_cast<T>(item.gradient[i] * factor);
    };
  }
};

template <typename T>
struct ClipRule {
  T low;
  T high;

  __device__ auto Prepared(int) const {
    return [low = low, high = high](const typename VariableList<T>::Item& item,
                                    int64_t i) {
      item.variable[i] = ClipOf(item.gradient[i], low, high);
    };
  }
};

}  // namespace

template <typename T>
cudaError_t SumSquares(const VariableList<T>& list, double* sums,
                       cudaStream_t stream) {
  if (list.blocks() == 0) return cudaSuccess;
  return Launch(SumSquaresKernel<T>, static_cast<unsigned>(list.blocks()),
                stream, list, sums);
}

template <typename T>
cudaError_t NormFactors(const VariableList<T>& list, const double* sums,
                        double norm, double* factors, cudaStream_t stream) {
  if (list.size == 0) return cudaSuccess;
  return Launch(NormFactorsKernel<T>, static_cast<unsigned>(list.size), stream,
                list, sums, norm, factors);
}

cudaError_t GlobalNormFactor(const double* sums, int64_t count, double norm,
                             double* factor, cudaStream_t stream) {
  return Launch(GlobalNormFactorKernel, 1, stream, sums, count, norm, factor);
}

template <typename T>
cudaError_t ScaleEach(const VariableList<T>& list, const double* factors,
                      bool one_for_all, cudaStream_t stream) {
  return ForEachElement(list, nullptr, stream,
                        ScaleRule<T>{factors, one_for_all});
}

template <typename T>
cudaError_t ClipEach(const VariableList<T>& list, T low, T high,
                     cudaStream_t stream) {
  return ForEachElement(list, nullptr, stream, ClipRule<T>{low, high});
}

#define LOCKSTEP_CLIP(T)                                                      \
  template cudaError_t SumSquares(const VariableList<T>&, double*,            \
                                  cudaStream_t);                              \
  template cudaError_t NormFactors(const VariableList<T>&, const double*,     \
                                   double, double*, cudaStream_t);            \
  template cudaError_t ScaleEach(const VariableList<T>&, const double*, bool, \
                                 cudaStream_t);                               \
  template cudaError_t ClipEach(const VariableList<T>&, T, T, cudaStream_t)
LOCKSTEP_CLIP(float);
LOCKSTEP_CLIP(double);
#undef LOCKSTEP_CLIP

}  // namespace lockstep::cuda
