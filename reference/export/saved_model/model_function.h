// Writes a model as a TensorFlow function of tensors, and of a resource for each
// variable and each table of words.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_MODEL_FUNCTION_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_MODEL_FUNCTION_H_

#include <string>
#include <vector>

#include "reference/export/saved_model/lookup_table.h"
#include "reference/export/saved_model/saved_model.pb.h"
#include "reference/layers/layer_graph.h"
#include "reference/layers/layer_impl.h"

namespace lockstep::export_internal {

// An input or output of a model, with a name that is valid for an argument.
struct NamedPlace {
  std::string name;
  int place;  // in the model's graph
  Shape shape;
  DType dtype = DType::kFloat32;
};

struct ModelInterface {
  std::vector<NamedPlace> inputs;   // named after their Input layers
  std::vector<NamedPlace> outputs;  // named after the layers that return them
};

// What the functions are bound to, in the order of their arguments.
struct ModelResources {
  std::vector<VariablePtr> variables;  // "variable_0", ...
  std::vector<LookupTable> tables;     // "table_0", ...
};

// Errors: those of a vocabulary.
ModelResources ResourcesOf(const Layer& model);

// The model's graph of layer calls. Errors: InvalidArgument if `model` is not a
// Sequential or functional model; FailedPrecondition if it has no weights.
const LayerGraph& GraphOf(const LayerImpl& model);

// The model's inputs and outputs, in its order. Errors: as WriteFunction.
ModelInterface InterfaceOf(const LayerImpl& model,
                           const ModelResources& resources);

// Writes a function that takes the inputs of `interface`, then `resources`, and
// returns the outputs of `interface`, in its order. Errors: Unimplemented for
// layers that cannot be exported.
saved_model::FunctionDef WriteFunction(const std::string& name,
                                       const LayerImpl& model,
                                       const ModelInterface& interface,
                                       const ModelResources& resources);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_MODEL_FUNCTION_H_
