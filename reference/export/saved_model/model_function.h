// Writes a model as a TensorFlow function of tensors, and of a resource for each
// variable.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_MODEL_FUNCTION_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_MODEL_FUNCTION_H_

#include <string>
#include <vector>

#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/layers/layer_graph.h"
#include "reference/layers/layer_impl.h"

namespace lockstep::export_internal {

// An input or output of a model, with a name that is valid for an argument.
struct NamedPlace {
  std::string name;
  int place;  // in the model's graph
  Shape shape;
};

struct ModelInterface {
  std::vector<NamedPlace> inputs;   // named after their Input layers
  std::vector<NamedPlace> outputs;  // named after the layers that return them
};

// The model's graph of layer calls. Errors: InvalidArgument if `model` is not a
// Sequential or functional model; FailedPrecondition if it has no weights.
const LayerGraph& GraphOf(const LayerImpl& model);

// The model's inputs and outputs, in its order.
ModelInterface InterfaceOf(const LayerImpl& model);

// Writes a function that takes the inputs of `interface`, then a resource for each
// of `variables`, and returns the outputs of `interface`, in its order.
// Errors: Unimplemented for layers that cannot be exported.
saved_model::FunctionDef WriteFunction(
    const std::string& name, const LayerImpl& model,
    const ModelInterface& interface, const std::vector<VariablePtr>& variables);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_MODEL_FUNCTION_H_
