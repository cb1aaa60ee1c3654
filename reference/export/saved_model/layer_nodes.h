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
  Shape shape = {};
  DType dtype = DType::kFloat32;
};

// Returns the name of the node result that has the variable's value.
using ReadVariable = std::function<std::string(const VariablePtr& variable)>;

// Adds the nodes of a layer that is not a model. `table` is the argument of its
// table, if it has one. Returns its result, whose shape is not set. Errors:
// Unimplemented, with the layer's name, for layers and policies that cannot be
// exported.
NodeResult WriteLayer(const LayerImpl& layer,
                      const std::vector<NodeResult>& inputs,
                      const ReadVariable& read, const std::string& table,
                      NodeWriter& nodes);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LAYER_NODES_H_
