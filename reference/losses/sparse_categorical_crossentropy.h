// The cross-entropy of integer labels and predicted classes:
// -log(probability of the label).
//
//   SparseCategoricalCrossentropy loss({.from_logits = true});
//   loss([1], [[0, 0]]);   // 0.6931472 = log 2
#ifndef LOCKSTEP_REFERENCE_LOSSES_SPARSE_CATEGORICAL_CROSSENTROPY_H_
#define LOCKSTEP_REFERENCE_LOSSES_SPARSE_CATEGORICAL_CROSSENTROPY_H_

#include <string>

#include "reference/losses/loss.h"

namespace lockstep::losses {

struct SparseCategoricalCrossentropyOptions {
  // Predictions are logits; else probabilities, which are held between 1e-7
  // and 1 - 1e-7 and brought to sum 1, as Keras does.
  bool from_logits = false;
  Reduction reduction = Reduction::kAuto;
  std::string name = "sparse_categorical_crossentropy";
};

// y_pred [..., C], floating; y_true [...] or [..., 1] of integers (or whole
// numbers): losses [...]. Errors: InvalidArgument for other shapes and for a
// label outside [0, C).
class SparseCategoricalCrossentropy : public Loss {
 public:
  explicit SparseCategoricalCrossentropy(
      const SparseCategoricalCrossentropyOptions& options = {})
      : Loss(options.name, options.reduction),
        from_logits_(options.from_logits) {}

 protected:
  Tensor Call(const Tensor& y_true, const Tensor& y_pred) const override;

 private:
  bool from_logits_;
};

}  // namespace lockstep::losses

#endif  // LOCKSTEP_REFERENCE_LOSSES_SPARSE_CATEGORICAL_CROSSENTROPY_H_
