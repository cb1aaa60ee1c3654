// Specs of elements: made, compared, stacked.
#ifndef LOCKSTEP_REFERENCE_DATA_ELEMENT_SPEC_H_
#define LOCKSTEP_REFERENCE_DATA_ELEMENT_SPEC_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/tensor/nest.h"

namespace lockstep::data_internal {

// The spec of exactly this element.
SpecStructure SpecOfElement(const Structure& element);

// Every leaf with one more axis in front, `size` long (or kUnknownDim).
SpecStructure PrependAxis(const SpecStructure& spec, int64_t size);

// Every leaf without its first axis. Errors: InvalidArgument, led by
// `operation`, for a scalar leaf.
SpecStructure RemoveAxis(std::string_view operation, const SpecStructure& spec);

// What is known of an element that may have either spec: dimensions that
// differ are unknown. Errors: InvalidArgument, led by `operation`, when form,
// types or ranks differ.
SpecStructure MergeSpecs(std::string_view operation, const SpecStructure& a,
                         const SpecStructure& b);

// Errors: InvalidArgument, led by `operation`, unless the element has the
// spec's form, types and known dimensions.
void CheckElement(std::string_view operation, const SpecStructure& spec,
                  const Structure& element);

// "(float32 (None, 28), int64 (None,))", "{x: float32 ()}".
std::string DescribeSpec(const SpecStructure& spec);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_ELEMENT_SPEC_H_
