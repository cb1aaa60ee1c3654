// Runs SavedModels that TensorFlow, Keras or ExportSavedModel wrote, without the
// program that created them.
//
//   const SavedModel model = LoadSavedModel("exported");
//   model.Run({{"image", images}}).at("logits");
//
// In a strategy's scope the variables are mirrored, and Run on a replica reads
// that replica's copies. A GradientTape can differentiate Run with respect to
// float32 variables().
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
  // Limits, in bytes, the size of all constants, and the memory that Run uses at
  // a time in addition to arguments, constants and variables. Without it a small
  // file could allocate any size.
  double memory_limit = 4.0 * (1 << 30);
};

// One signature of a SavedModel. Copies share variables.
class SavedModel {
 public:
  // The arguments' specs by name; dimensions may be unknown.
  const std::map<std::string, TensorSpec>& inputs() const;
  // The results' names.
  const std::vector<std::string>& outputs() const;
  // The variables that the signature reads, each once.
  const std::vector<VariablePtr>& variables() const;

  // Returns the results by name. Thread-safe. Errors: InvalidArgument if an
  // argument is missing, unknown, or of another type or shape, and, with the node,
  // if an operation refuses its inputs; ResourceExhausted beyond the memory limit.
  std::map<std::string, Tensor> Run(
      const std::map<std::string, Tensor>& inputs) const;

 private:
  friend SavedModel LoadSavedModel(const std::string& folder,
                                   const LoadSavedModelOptions& options);
  struct Impl;
  explicit SavedModel(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

// Supports graphs for inference: convolution, pooling, matrix products,
// activations, arithmetic with broadcasting, means, casts, operations that move
// elements, and those of Keras' preprocessing layers: tables of words in constants or
// text files, hashes, n-grams, bins and counts; of float32, int32, int64, bool and
// strings. Errors: NotFound if the folder, the signature or a file of words does not
// exist; Unimplemented, with operation and node, for any other operation, and for
// graphs without objects (TensorFlow 1); DataLoss if a file is damaged;
// ResourceExhausted beyond the memory limit.
SavedModel LoadSavedModel(const std::string& folder,
                          const LoadSavedModelOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_LOAD_SAVED_MODEL_H_
