// Parts of models y = k x for tests of fit, and their data.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_TESTING_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_TESTING_H_

#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/losses/regression_losses.h"
#include "reference/optimizers/update_rules.h"
#include "reference/regularizers/regularizer.h"
#include "reference/training/model/model.h"

namespace lockstep {

using Doubles = std::vector<double>;

inline Tensor Column(const std::vector<float>& values) {
  return Tensor::FromVector(values,
                            Shape{static_cast<int64_t>(values.size()), 1});
}

inline Tensor OneTo(int64_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 1.0f);
  return Column(values);
}

inline DenseOptions Slope(float first,
                          const RegularizerPtr& regularizer = nullptr) {
  return {.use_bias = false,
          .kernel_initializer = initializers::Constant(first),
          .kernel_regularizer = regularizer};
}

inline std::shared_ptr<Optimizer> SgdOf(double rate) {
  return std::make_shared<Sgd>(SgdOptions{.learning_rate = rate});
}

inline CompileOptions MeanSquares(double rate = 0.01) {
  return {.optimizer = SgdOf(rate), .loss = losses::MeanSquaredError()};
}

inline FitOptions Quietly(FitOptions options = {}) {
  options.verbose = Verbose::kSilent;
  options.shuffle = false;
  return options;
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_TESTING_H_
