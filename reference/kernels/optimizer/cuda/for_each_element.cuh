// Runs a rule on every element of a list of variables, in one launch.
//
//   struct Halve {
//     __device__ auto Prepared(int) const {
//       return [](const auto& item, int64_t i) { item.variable[i] /= 2; };
//     }
//   };
//   ForEachElement(list, /*taken=*/nullptr, stream, Halve{});
#ifndef LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_FOR_EACH_ELEMENT_CUH_
#define LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_FOR_EACH_ELEMENT_CUH_

#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/optimizer/cuda/variable_list.h"

namespace lockstep::cuda {

// The part of a block: elements [begin, end) of a variable.
template <typename T>
struct BlockPart {
  const typename VariableList<T>::Item& item;
  int index;
  int64_t begin;
  int64_t end;
};

template <typename T>
__device__ BlockPart<T> PartOfBlock(const VariableList<T>& list) {
  const int index = list.ItemOf(blockIdx.x);
  const typename VariableList<T>::Item& item = list.items[index];
  constexpr int64_t kElements = VariableList<T>::kBlockElements;
  const int64_t begin = (blockIdx.x - list.FirstBlockOf(index)) * kElements;
  return {item, index, begin, min(begin + kElements, item.count)};
}

// rule.Prepared(index of the variable) reads the values common to a block and
// returns the function that is called with each element.
template <typename T, class Rule>
__global__ void __launch_bounds__(kThreadsPerBlock)
    ForEachElementKernel(const __grid_constant__ VariableList<T> list,
                         const bool* taken, Rule rule) {
  if (taken != nullptr && !*taken) return;
  const BlockPart<T> part = PartOfBlock(list);
  const auto step = rule.Prepared(part.index);
  for (int64_t i = part.begin + threadIdx.x; i < part.end;
       i += kThreadsPerBlock) {
    step(part.item, i);
  }
}

// Does nothing if `taken`, in the GPU's memory, is false.
template <typename T, class Rule>
cudaError_t ForEachElement(const VariableList<T>& list, const bool* taken,
                           cudaStream_t stream, const Rule& rule) {
  if (list.blocks() == 0) return cudaSuccess;
  return Launch(ForEachElementKernel<T, Rule>,
                static_cast<unsigned>(list.blocks()), stream, list, taken,
                rule);
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_OPTIMIZER_CUDA_FOR_EACH_ELEMENT_CUH_
