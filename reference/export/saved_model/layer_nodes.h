// What a layer does at inference, as TensorFlow's operations.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LAYER_NODES_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LAYER_NODES_H_

#include <functional>
#include <string>
#include <vector>

#include "reference/export/saved_model/node_writer.h"
#include "reference/layers/layer_impl.h"

namespace lockstep::export_internal {

// A result of a node, with what is known of its shape.
struct NodeResult {
  std::string name;
  Shape shape;
};

// The value of a variable, by the name of a node's result.
using ReadVariable = std::function<std::string(const VariablePtr& variable)>;

// Adds the nodes of one layer that is no model; gives the name of its result.
// Errors: Unimplemented, with the layer's name, for layers and policies that
// have no operations here.
std::string WriteLayer(const LayerImpl& layer,
                       const std::vector<NodeResult>& inputs,
                       const ReadVariable& read, NodeWriter& nodes);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LAYER_NODES_H_
