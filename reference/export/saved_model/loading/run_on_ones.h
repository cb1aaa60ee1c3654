// Runs any loaded SavedModel, for tests with damaged files.
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_RUN_ON_ONES_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_RUN_ON_ONES_H_

#include <map>
#include <string>
#include <vector>

#include "reference/export/saved_model/loading/load_saved_model.h"

namespace lockstep {

// Calls Run with tensors of ones, or of the words "1"; unknown dimensions are 2. Does
// nothing if an argument would have more than 10,000 elements.
inline void RunOnOnes(const SavedModel& model) {
  std::map<std::string, Tensor> inputs;
  for (const auto& [name, spec] : model.inputs()) {
    Shape shape = spec.shape;
    double elements = 1;
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape[i] == kUnknownDim) shape = shape.WithDim(i, 2);
      elements *= static_cast<double>(shape[i]);
    }
    if (elements > 1e4) return;
    if (spec.dtype == DType::kString) {
      inputs[name] = Tensor::FromVector(
          std::vector<std::string>(static_cast<size_t>(elements), "1"), shape);
    } else {
      inputs[name] = Tensor::Full(shape, 1.0f).Cast(spec.dtype);
    }
  }
  model.Run(inputs);
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_RUN_ON_ONES_H_
