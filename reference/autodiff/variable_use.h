// What variables tell of their use; variable_uses.h says who wants to know.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_VARIABLE_USE_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_VARIABLE_USE_H_

#include <string>

#include "reference/tensor/tensor.h"

namespace lockstep {

class LocalVariable;

enum class VariableUse { kRead, kChanged };

namespace autodiff_internal {

// `value` is where the variable lies before it is changed.
// Errors: FailedPrecondition where a graph can have no part in it.
void NoteVariableUse(const LocalVariable& variable, const Tensor& value,
                     VariableUse use);

// Errors: FailedPrecondition while the calling thread captures.
void CheckMayMakeVariable(const std::string& name);

}  // namespace autodiff_internal
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_VARIABLE_USE_H_
