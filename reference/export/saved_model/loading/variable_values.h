// Reads the values of a SavedModel's variables.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_VARIABLE_VALUES_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_VARIABLE_VALUES_H_

#include <map>
#include <string>
#include <vector>

#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

// Reads the values of the variables at `nodes` of the object graph from
// <folder>/variables, by node. The checkpoint there has another object graph. As
// in TensorFlow, the two are matched from their roots by the names of children, and
// the checkpoint's nodes have the keys of the values.
// Errors: NotFound if a file is missing; DataLoss if the graphs do not match, or a
// variable has no value, or one of another type or shape than in the object graph;
// Unimplemented for types that are not supported.
std::map<int, Tensor> ReadVariableValues(
    const saved_model::SavedObjectGraph& objects, const std::vector<int>& nodes,
    const std::string& folder);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_VARIABLE_VALUES_H_
