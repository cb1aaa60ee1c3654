// Writes a layer's inference as TensorFlow operations.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LAYER_NODES_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LAYER_NODES_H_

#include <functional>
#include <string>
#include <vector>

#include "reference/export/saved_model/node_writer.h"
#include "reference/layers/layer_impl.h"

namespace lockstep::export_internal {

// A result of a node. Dimensions may be unknown.
struct NodeResult {
  std::string name;
  Shape shape;
};

// Returns the name of the node result that has the variable's value.
using ReadVariable = std::function<std::string(const VariablePtr& variable)>;

// Adds the nodes of a layer that is not a model. Returns the name of its result.
// Errors: Unimplemented, with the layer's name, for layers and policies that
// cannot be exported.
std::string WriteLayer(const LayerImpl& layer,
                       const std::vector<NodeResult>& inputs,
                       const ReadVariable& read, NodeWriter& nodes);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LAYER_NODES_H_
