// Lets the host change a tensor's elements, wherever they lie.
//
//   ChangeOnHost(counter, [](Tensor& t) { ++*t.mutable_data<int64_t>(); });
//
// For what is small or rare, and has no kernel: on a GPU it waits for the
// device, copies there and back, and the tensor becomes another one.
#ifndef LOCKSTEP_REFERENCE_TENSOR_CHANGE_ON_HOST_H_
#define LOCKSTEP_REFERENCE_TENSOR_CHANGE_ON_HOST_H_

#include "reference/tensor/tensor.h"

namespace lockstep {

// Calls change(tensor), with a copy of the tensor where the host cannot reach
// it. REQUIRES: nobody else reads the tensor.
template <typename Change>
void ChangeOnHost(Tensor& tensor, const Change& change) {
  if (tensor.on_host()) return change(tensor);
  Tensor copy = tensor.ToHost();
  change(copy);
  tensor = copy.To(tensor.device());
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_CHANGE_ON_HOST_H_
