// SavedModels, as TensorFlow, Keras and ExportSavedModel write them: what their
// graphs compute, without the program that made them.
//
//   const SavedModel model = LoadSavedModel("exported");
//   model.Run({{"image", images}}).at("logits");
//
// In a strategy's scope the variables are mirrored, and Run on a replica reads
// its copies. float32 is differentiable: a GradientTape finds variables().
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_LOAD_SAVED_MODEL_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_LOAD_SAVED_MODEL_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

struct LoadSavedModelOptions {
  std::string signature = "serving_default";
  // Bytes that constants may have together, and what Run holds at a time
  // besides arguments, constants and variables: a file of some bytes can ask
  // for any size.
  double memory_limit = 4.0 * (1 << 30);
};

// One signature of a SavedModel. Copies share variables.
class SavedModel {
 public:
  // Arguments by name; dimensions may be unknown.
  const std::map<std::string, TensorSpec>& inputs() const;
  // Names of results.
  const std::vector<std::string>& outputs() const;
  // What the signature reads, each once.
  const std::vector<VariablePtr>& variables() const;

  // Results by name. Thread-safe. Errors: InvalidArgument for arguments that are
  // missing, unknown, or of another type or shape, and, with the node, for what
  // an operation refuses; ResourceExhausted beyond the limit of memory.
  std::map<std::string, Tensor> Run(
      const std::map<std::string, Tensor>& inputs) const;

 private:
  friend SavedModel LoadSavedModel(const std::string& folder,
                                   const LoadSavedModelOptions& options);
  struct Impl;
  explicit SavedModel(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

// Offered are graphs of inference: convolution, pooling, matrix products,
// activations, arithmetic with broadcasting, means, casts, and what moves
// elements, of float32, int32 and int64. Errors: NotFound for a folder or a
// signature that is not there; Unimplemented, with operation and node, for any
// other operation, and for graphs without objects (TensorFlow 1's); DataLoss for
// damaged files; ResourceExhausted beyond the limit of memory.
SavedModel LoadSavedModel(const std::string& folder,
                          const LoadSavedModelOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_LOAD_SAVED_MODEL_H_
