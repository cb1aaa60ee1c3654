// A model as a function of TensorFlow's: tensors in, tensors out, one resource
// a variable.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_MODEL_FUNCTION_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_MODEL_FUNCTION_H_

#include <string>
#include <vector>

#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/layers/layer_graph.h"
#include "reference/layers/layer_impl.h"

namespace lockstep::export_internal {

// What enters or leaves, under a name that a function's argument can have.
struct NamedPlace {
  std::string name;
  int place;  // of the model's graph
  Shape shape;
};

struct ModelInterface {
  std::vector<NamedPlace> inputs;   // by the names of their Input layers
  std::vector<NamedPlace> outputs;  // by the layers that give them
};

// The calls that a model is made of. Errors: InvalidArgument for a layer that is
// no Sequential or functional model; FailedPrecondition for one without weights.
const LayerGraph& GraphOf(const LayerImpl& model);

// In the order of the model.
ModelInterface InterfaceOf(const LayerImpl& model);

// A function of this name that takes `interface`'s inputs and, behind them, a
// resource for each of `variables`, and gives its outputs, in their order.
// Errors: Unimplemented for layers that have no operations of TensorFlow.
saved_model::FunctionDef WriteFunction(
    const std::string& name, const LayerImpl& model,
    const ModelInterface& interface, const std::vector<VariablePtr>& variables);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_MODEL_FUNCTION_H_
