// Losses of predicted classes: -log(probability of the true class).
//
//   losses::SparseCategoricalCrossentropy loss({.from_logits = true});
//   loss([1], [[0, 0]]);   // 0.6931472 = log 2
//
//   // Tokens with padding: the mean over the others.
//   losses::SparseCategoricalCrossentropy of_tokens(
//       {.from_logits = true, .ignore_class = -100});
//   of_tokens([[1, -100]], [[[0, 0], [0, 0]]]);   // 0.6931472
//
// Predictions are logits or probabilities. Probabilities are limited to [1e-7,
// 1 - 1e-7], as in Keras.
#ifndef LOCKSTEP_REFERENCE_LOSSES_CROSS_ENTROPY_H_
#define LOCKSTEP_REFERENCE_LOSSES_CROSS_ENTROPY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "reference/losses/loss.h"
#include "reference/tensor/tensor.h"

namespace lockstep::losses {

// The cross-entropy of integer labels and predicted classes.
struct SparseCategoricalCrossentropyOptions {
  // If false, probabilities are limited and then normalized to sum 1.
  bool from_logits = false;
  // Labels equal to this number, which need not be in [0, C), have loss 0 and
  // do not count in a mean: as in Keras 3, and PyTorch's `ignore_index`.
  std::optional<int64_t> ignore_class = std::nullopt;
  Reduction reduction = Reduction::kAuto;
  std::string name = "sparse_categorical_crossentropy";
};

// From y_pred [..., C], floating, and y_true [...] or [..., 1] of integers (or
// whole numbers) to losses [...]. Errors: InvalidArgument for other shapes and
// for a label outside [0, C) that is not ignored.
class SparseCategoricalCrossentropy : public Loss {
 public:
  explicit SparseCategoricalCrossentropy(
      const SparseCategoricalCrossentropyOptions& options = {})
      : Loss(options.name, options.reduction),
        from_logits_(options.from_logits),
        ignore_class_(options.ignore_class) {}

  ObjectConfig Config() const override;
  Tensor Counted(const Tensor& y_true) const override;

 protected:
  Tensor Call(const Tensor& y_true, const Tensor& y_pred) const override;

 private:
  bool from_logits_;
  std::optional<int64_t> ignore_class_;
};

// The cross-entropy of labels with one probability per class, such as one-hot
// labels: -sum(label * log(prediction)).
//
//   CategoricalCrossentropy loss;
//   loss([[0, 1]], [[1, 3]]);   // 0.2876821 = -log(3 / 4)
struct CategoricalCrossentropyOptions {
  // If false, probabilities are normalized to sum 1, then limited.
  bool from_logits = false;
  // Labels become label * (1 - label_smoothing) + label_smoothing / C.
  double label_smoothing = 0;
  Reduction reduction = Reduction::kAuto;
  std::string name = "categorical_crossentropy";
};

// From y_true and y_pred [..., C] to losses [...]. Labels have no gradient.
// Errors: InvalidArgument for other shapes and for smoothing outside [0, 1].
class CategoricalCrossentropy : public Loss {
 public:
  explicit CategoricalCrossentropy(
      const CategoricalCrossentropyOptions& options = {});

  ObjectConfig Config() const override;

 protected:
  Tensor Call(const Tensor& y_true, const Tensor& y_pred) const override;

 private:
  bool from_logits_;
  double label_smoothing_;
};

// The binary cross-entropy: the mean over the last axis of -(label *
// log(prediction) + (1 - label) * log(1 - prediction)).
//
//   BinaryCrossentropy loss({.from_logits = true});
//   loss([[1], [0]], [[0], [0]]);   // 0.6931472 = log 2
struct BinaryCrossentropyOptions {
  bool from_logits = false;
  // Labels become label * (1 - label_smoothing) + label_smoothing / 2.
  double label_smoothing = 0;
  Reduction reduction = Reduction::kAuto;
  std::string name = "binary_crossentropy";
};

// Errors: InvalidArgument for smoothing outside [0, 1].
class BinaryCrossentropy : public ElementwiseLoss {
 public:
  explicit BinaryCrossentropy(const BinaryCrossentropyOptions& options = {});

  ObjectConfig Config() const override;

 protected:
  Tensor Elements(const Tensor& truth, const Tensor& prediction) const override;

 private:
  bool from_logits_;
  double label_smoothing_;
};

}  // namespace lockstep::losses

#endif  // LOCKSTEP_REFERENCE_LOSSES_CROSS_ENTROPY_H_
