#include "reference/losses/cross_entropy.h"

#include <array>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/base/error.h"

namespace lockstep::losses {
namespace {

constexpr double kSmallestProbability = 1e-7;  // Keras' epsilon

Tensor HoldProbabilities(const Tensor& probabilities) {
  return ops::ClipByValue(probabilities, kSmallestProbability,
                          1 - kSmallestProbability);
}

// Reshapes to a matrix [examples, classes]: to the kernels, elements such as
// pixels are examples. REQUIRES: at least one axis of examples.
Tensor Rows(const Tensor& x) {
  if (x.rank() == 2) return x;
  const int64_t classes = x.dim(x.rank() - 1);
  const int64_t count =
      Shape(x.shape().dims().first(x.rank() - 1)).num_elements();
  return ops::Reshape(x, Shape{count, classes});
}

Tensor IntegerLabels(const Tensor& labels) {
  return IsInteger(labels.dtype()) ? labels : labels.Cast(DType::kInt64);
}

double CheckedSmoothing(const std::string& loss, double smoothing) {
  if (smoothing >= 0 && smoothing <= 1) return smoothing;
  throw InvalidArgument("[{}] label_smoothing must be in [0, 1], got {}", loss,
                        smoothing);
}

// Smoothed labels, which give each of `classes` some probability.
Tensor Smooth(const Tensor& labels, double smoothing, double classes) {
  if (smoothing == 0) return labels;
  return labels * (1 - smoothing) + smoothing / classes;
}

}  // namespace

Tensor SparseCategoricalCrossentropy::Call(const Tensor& y_true,
                                           const Tensor& y_pred) const {
  const int classes_axis = y_pred.rank() - 1;
  Tensor labels = ops::SqueezeTo(IntegerLabels(y_true), classes_axis);
  if (classes_axis < 1 ||
      labels.shape() != Shape(y_pred.shape().dims().first(classes_axis))) {
    throw InvalidArgument(
        "[{}] labels [...] go with predictions [..., classes], got {} and {}",
        name(), Describe(y_true), Describe(y_pred));
  }
  const Tensor counted = Counted(labels);
  // An ignored label need not be a class, so it is replaced by one.
  if (counted.defined()) {
    labels =
        ops::Multiply(labels.Cast(DType::kInt64), counted.Cast(DType::kInt64));
  }
  const Tensor rows = Rows(y_pred);
  const Tensor logits = from_logits_ ? rows : ops::Log(HoldProbabilities(rows));
  Tensor losses = ops::SparseSoftmaxCrossEntropy(
      logits, labels.Reshape(Shape{labels.num_elements()}));
  if (labels.rank() != 1) losses = ops::Reshape(losses, labels.shape());
  if (!counted.defined()) return losses;
  return ops::Multiply(losses, counted.Cast(losses.dtype()));
}

Tensor SparseCategoricalCrossentropy::Counted(const Tensor& y_true) const {
  if (!ignore_class_) return {};
  const Tensor labels = IntegerLabels(y_true).Cast(DType::kInt64);
  const Tensor ignored = ops::Equal(
      labels, Tensor::Full(labels.shape(), *ignore_class_, labels.device()));
  return 1 - ignored.Cast(DType::kFloat32);
}

CategoricalCrossentropy::CategoricalCrossentropy(
    const CategoricalCrossentropyOptions& options)
    : Loss(options.name, options.reduction),
      from_logits_(options.from_logits),
      label_smoothing_(
          CheckedSmoothing(options.name, options.label_smoothing)) {}

Tensor CategoricalCrossentropy::Call(const Tensor& y_true,
                                     const Tensor& y_pred) const {
  const int classes_axis = y_pred.rank() - 1;
  if (classes_axis < 1 || y_true.shape() != y_pred.shape()) {
    throw InvalidArgument(
        "[{}] labels and predictions must have one shape [..., classes], got "
        "{} and {}",
        name(), Describe(y_true), Describe(y_pred));
  }
  const Tensor predictions = Rows(y_pred);
  const Tensor labels =
      Smooth(ops::Cast(Rows(y_true), predictions.dtype()), label_smoothing_,
             static_cast<double>(predictions.dim(1)));
  const Shape examples(y_pred.shape().dims().first(classes_axis));
  if (from_logits_) {
    return ops::Reshape(ops::SoftmaxCrossEntropy(predictions, labels),
                        examples);
  }
  const std::array classes = {1};
  const Tensor probabilities = HoldProbabilities(
      predictions / ops::ReduceSum(predictions, classes, /*keepdims=*/true));
  return ops::Reshape(
      -ops::ReduceSum(labels * ops::Log(probabilities), classes), examples);
}

BinaryCrossentropy::BinaryCrossentropy(const BinaryCrossentropyOptions& options)
    : ElementwiseLoss(options.name, options.reduction),
      from_logits_(options.from_logits),
      label_smoothing_(
          CheckedSmoothing(options.name, options.label_smoothing)) {}

Tensor BinaryCrossentropy::Elements(const Tensor& truth,
                                    const Tensor& prediction) const {
  const Tensor labels = Smooth(truth, label_smoothing_, /*classes=*/2);
  if (from_logits_) return ops::SigmoidCrossEntropy(prediction, labels);
  const Tensor yes = HoldProbabilities(prediction);
  return -(labels * ops::Log(yes) + (1 - labels) * ops::Log(1 - yes));
}

ObjectConfig SparseCategoricalCrossentropy::Config() const {
  ObjectConfig config = StartConfig("SparseCategoricalCrossentropy");
  config.settings.emplace_back("from_logits", from_logits_);
  if (ignore_class_) {
    config.settings.emplace_back("ignore_class", *ignore_class_);
  }
  return config;
}

ObjectConfig CategoricalCrossentropy::Config() const {
  ObjectConfig config = StartConfig("CategoricalCrossentropy");
  config.settings.emplace_back("from_logits", from_logits_);
  config.settings.emplace_back("label_smoothing", label_smoothing_);
  return config;
}

ObjectConfig BinaryCrossentropy::Config() const {
  ObjectConfig config = StartConfig("BinaryCrossentropy");
  config.settings.emplace_back("from_logits", from_logits_);
  config.settings.emplace_back("label_smoothing", label_smoothing_);
  return config;
}

}  // namespace lockstep::losses
