// Hands many variables to launches that take a VariableList each.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_IN_LISTS_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_IN_LISTS_H_

#include "reference/base/check.h"
#include "reference/kernels/cuda/variable_list.h"

namespace lockstep::cuda {

// In as few lists as possible: launch(list), where convert(item) gives an
// entry.
template <typename T, class Items, class Convert, class Launch>
void InLists(const Items& items, const Convert& convert, const Launch& launch) {
  VariableList<T> list;
  for (const auto& item : items) {
    if (list.Append(convert(item))) continue;
    launch(list);
    list = {};
    LOCKSTEP_CHECK(list.Append(convert(item)));
  }
  launch(list);
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_IN_LISTS_H_
