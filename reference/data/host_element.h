// Elements of a dataset lie with the host, wherever they come from.
#ifndef LOCKSTEP_REFERENCE_DATA_HOST_ELEMENT_H_
#define LOCKSTEP_REFERENCE_DATA_HOST_ELEMENT_H_

#include <utility>

#include "reference/tensor/host_tensor.h"
#include "reference/tensor/nest.h"

namespace lockstep::data_internal {

// The element itself where the host can read all of it, else with copies of
// the leaves that lie on a GPU.
inline Structure ToHost(Structure element) {
  bool on_host = true;
  element.ForEach(
      [&](const Tensor& leaf) { on_host = on_host && leaf.on_host(); });
  if (on_host) return element;
  return element.Map<Tensor>([](const Tensor& leaf) { return leaf.ToHost(); });
}

// What a function of the user's gives for an element: it makes its tensors on
// the host, where the elements are, and what it made elsewhere is copied.
template <typename Function, typename... Arguments>
Structure ElementOf(const Function& function, const Arguments&... arguments) {
  const HostScope scope;
  return ToHost(function(arguments...));
}

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_HOST_ELEMENT_H_
