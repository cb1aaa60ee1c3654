// Where the values of a SavedModel's variables are.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_VARIABLE_VALUES_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_VARIABLE_VALUES_H_

#include <map>
#include <string>
#include <vector>

#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

// The values of the variables at these nodes of the object graph, out of
// <folder>/variables. The checkpoint there has an object graph of its own: both
// are walked from their roots by the children's names, as TensorFlow does, and
// the checkpoint's nodes say under which keys the values are.
// Errors: NotFound for files that are missing; DataLoss for graphs that do not
// fit each other, for a variable without a value, and one of another type or
// shape than the object graph says; Unimplemented for types that are not
// offered.
std::map<int, Tensor> ReadVariableValues(
    const saved_model::SavedObjectGraph& objects, const std::vector<int>& nodes,
    const std::string& folder);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_VARIABLE_VALUES_H_
