// The spec of what a user's function makes of elements, found by calling it.
#ifndef LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PROBE_SPEC_H_
#define LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PROBE_SPEC_H_

#include <functional>
#include <string_view>

#include "reference/tensor/nest.h"

namespace lockstep::data_internal {

// `spec_for` returns the spec of what a function makes of an element. It is
// called with zeros of the input's spec. If that has unknown dimensions it is
// called with two sizes of them, to distinguish dimensions that depend on the
// input from fixed ones.
//
//   ProbeSpec("Map", squares, float32 (None,))   // float32 (None,)
//   ProbeSpec("Map", sum, float32 (None,))       // float32 ()
//
// Errors: InvalidArgument, led by `operation`, if the function fails.
SpecStructure ProbeSpec(
    std::string_view operation,
    const std::function<SpecStructure(const Structure&)>& spec_for,
    const SpecStructure& input);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_TRANSFORMATIONS_PROBE_SPEC_H_
