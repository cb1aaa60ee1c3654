// Elements stacked along a new first axis, leaf by leaf.
#ifndef LOCKSTEP_REFERENCE_DATA_STACK_H_
#define LOCKSTEP_REFERENCE_DATA_STACK_H_

#include <span>
#include <string_view>

#include "reference/tensor/nest.h"

namespace lockstep::data_internal {

// Errors: InvalidArgument, led by `operation`, when elements differ in form,
// type or shape; it names the component and the first element that differs.
// REQUIRES: at least one element.
Structure Stack(std::string_view operation,
                std::span<const Structure> elements);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_STACK_H_
