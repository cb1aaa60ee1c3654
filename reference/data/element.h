// Operations on the elements of datasets and their specs.
#ifndef LOCKSTEP_REFERENCE_DATA_ELEMENT_H_
#define LOCKSTEP_REFERENCE_DATA_ELEMENT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "reference/tensor/host_tensor.h"
#include "reference/tensor/nest.h"
#include "reference/tensor/tensor.h"

namespace lockstep::data_internal {

// The spec of exactly this element.
SpecStructure SpecOfElement(const Structure& element);

// Every leaf with a new first axis of `size` (or kUnknownDim).
SpecStructure PrependAxis(const SpecStructure& spec, int64_t size);

// Every leaf without its first axis. Errors: InvalidArgument, led by
// `operation`, for a scalar leaf.
SpecStructure RemoveAxis(std::string_view operation, const SpecStructure& spec);

// The spec of an element that may have either spec: dimensions that differ are
// unknown. Errors: InvalidArgument, led by `operation`, if form, types or ranks
// differ.
SpecStructure MergeSpecs(std::string_view operation, const SpecStructure& a,
                         const SpecStructure& b);

// Errors: InvalidArgument, led by `operation`, unless the element has the
// spec's form, types and known dimensions.
void CheckElement(std::string_view operation, const SpecStructure& spec,
                  const Structure& element);

// "(float32 (None, 28), int64 (None,))", "{x: float32 ()}".
std::string DescribeSpec(const SpecStructure& spec);

// Elements of a dataset are in host memory, wherever they come from.
//
// The element itself if the host can read all of it, else with copies of the
// leaves that are on a GPU.
inline Structure ToHost(Structure element) {
  bool on_host = true;
  element.ForEach(
      [&](const Tensor& leaf) { on_host = on_host && leaf.on_host(); });
  if (on_host) return element;
  return element.Map<Tensor>([](const Tensor& leaf) { return leaf.ToHost(); });
}

// Calls a user's function on an element with the host as current device. Copies
// tensors that the function made elsewhere to the host.
template <typename Function, typename... Arguments>
Structure ElementOf(const Function& function, const Arguments&... arguments) {
  const HostScope scope;
  return ToHost(function(arguments...));
}

// Rows of axis 0 by number, copied into a new tensor:
//
//   GatherRows([[1, 2], [3, 4], [5, 6]], {2, 0})  // [[5, 6], [1, 2]]
//
// REQUIRES: rank >= 1, every row exists.
Tensor GatherRows(const Tensor& tensor, std::span<const int64_t> rows);

// Elements stacked along a new first axis, leaf by leaf.
//
// Errors: InvalidArgument, led by `operation`, if elements differ in form, type
// or shape. It names the component and the first element that differs.
// REQUIRES: at least one element.
Structure Stack(std::string_view operation,
                std::span<const Structure> elements);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_ELEMENT_H_
