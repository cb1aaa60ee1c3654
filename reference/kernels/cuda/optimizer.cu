#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/optimizer_launch.h"
#include "reference/kernels/cuda/optimizer_math.h"

namespace lockstep::cuda {
namespace {

// Calls step(item, i) for every element of every variable.
template <typename T, class Step>
__global__ void __launch_bounds__(kThreadsPerBlock)
    ForEachElementKernel(const __grid_constant__ VariableList<T> list,
                         Step step) {
  const int index = list.ItemOf(blockIdx.x);
  const typename VariableList<T>::Item& item = list.items[index];
  constexpr int64_t kElements = VariableList<T>::kBlockElements;
  const int64_t begin = (blockIdx.x - list.FirstBlockOf(index)) * kElements;
  const int64_t end = min(begin + kElements, item.count);
  for (int64_t i = begin + threadIdx.x; i < end; i += kThreadsPerBlock) {
    step(item, i);
  }
}

template <typename T, class Step>
cudaError_t ForEachElement(const VariableList<T>& list, cudaStream_t stream,
                           const Step& step) {
  if (list.blocks() == 0) return cudaSuccess;
  return Launch(ForEachElementKernel<T, Step>,
                static_cast<unsigned>(list.blocks()), stream, list, step);
}

template <typename T>
struct SgdElement {
  SgdConstants<T> constants;

  __device__ void operator()(const typename VariableList<T>::Item& item,
                             int64_t i) const {
    if (item.first == nullptr) {
      SgdStep(constants, item.gradient[i], item.variable[i]);
    } else {
      MomentumStep(constants, item.gradient[i], item.variable[i],
                   item.first[i]);
    }
  }
};

template <typename T>
struct AdamElement {
  AdamConstants<T> constants;

  __device__ void operator()(const typename VariableList<T>::Item& item,
                             int64_t i) const {
    AdamStep(constants, item.gradient[i], item.variable[i], item.first[i],
             item.second[i]);
  }
};

}  // namespace

template <typename T>
cudaError_t Sgd(const VariableList<T>& list, const SgdConstants<T>& constants,
                cudaStream_t stream) {
  return ForEachElement(list, stream, SgdElement<T>{constants});
}

template <typename T>
cudaError_t Adam(const VariableList<T>& list, const AdamConstants<T>& constants,
                 cudaStream_t stream) {
  return ForEachElement(list, stream, AdamElement<T>{constants});
}

#define LOCKSTEP_OPTIMIZER(T)                                                \
  template cudaError_t Sgd(const VariableList<T>&, const SgdConstants<T>&,   \
                           cudaStream_t);                                    \
  template cudaError_t Adam(const VariableList<T>&, const AdamConstants<T>&, \
                            cudaStream_t)
LOCKSTEP_OPTIMIZER(float);
LOCKSTEP_OPTIMIZER(double);
#undef LOCKSTEP_OPTIMIZER

}  // namespace lockstep::cuda
