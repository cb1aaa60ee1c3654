// What a SavedModel says of a signature: its function, arguments and results.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_SIGNATURE_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_SIGNATURE_H_

#include <string>
#include <utility>
#include <vector>

#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

struct Signature {
  std::string function;  // of the graph's library
  // The function's tensors, in its order.
  std::vector<std::pair<std::string, TensorSpec>> inputs;
  std::vector<int> variables;        // its others: nodes of the object graph
  std::vector<std::string> outputs;  // its results, in its order
};

// The graph of tag "serve". Errors: NotFound, DataLoss; Unimplemented for one
// without objects.
saved_model::MetaGraphDef ReadMetaGraph(const std::string& folder);

// Errors: NotFound for another name, with those that are there; DataLoss;
// Unimplemented for types that are not offered, and for what the function has
// captured besides variables.
Signature FindSignature(const saved_model::MetaGraphDef& graph,
                        const std::string& name);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_SIGNATURE_H_
