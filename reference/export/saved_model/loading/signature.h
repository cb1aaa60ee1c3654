// Finds a SavedModel's signature: its function, arguments and results.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_SIGNATURE_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_SIGNATURE_H_

#include <string>
#include <utility>
#include <vector>

#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

struct Signature {
  std::string function;  // name in the graph's library
  // The function's tensor arguments, in order.
  std::vector<std::pair<std::string, TensorSpec>> inputs;
  // Its other arguments, variables, constants and tables: nodes of the object graph,
  // in order.
  std::vector<int> captured;
  std::vector<std::string> outputs;  // names of its results, in order
};

// Reads the graph with the tag "serve". Errors: NotFound; DataLoss; Unimplemented
// for a graph without objects.
saved_model::MetaGraphDef ReadMetaGraph(const std::string& folder);

// Errors: NotFound, with the existing names, if there is no such signature;
// DataLoss; Unimplemented for types that are not supported, and if the function
// captures anything other than variables, constants and resources.
Signature FindSignature(const saved_model::MetaGraphDef& graph,
                        const std::string& name);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_SIGNATURE_H_
