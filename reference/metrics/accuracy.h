// Accuracies: how often predictions are right.
//
//   SparseCategoricalAccuracy accuracy;
//   accuracy.UpdateState(labels, scores);   // labels (n,), scores (n, classes)
//   accuracy.Result();                      // between 0 and 1
#ifndef LOCKSTEP_REFERENCE_METRICS_ACCURACY_H_
#define LOCKSTEP_REFERENCE_METRICS_ACCURACY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "reference/metrics/metric.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// The share of predictions that equal their label.
class Accuracy : public WeightedMean {
 public:
  explicit Accuracy(std::string name = "accuracy")
      : WeightedMean(std::move(name)) {}

  // Errors: InvalidArgument for different types or shapes.
  void UpdateState(
      const Tensor& labels, const Tensor& predictions,
      const std::optional<Tensor>& sample_weight = std::nullopt) override;
};

// The share of labels, 0 or 1, that are predicted by whether a score is above a
// threshold.
//
//   BinaryAccuracy accuracy;
//   accuracy.UpdateState([1, 0, 1], [[0.6], [0.5], [0.4]]);   // 2 of 3
class BinaryAccuracy : public WeightedMean {
 public:
  explicit BinaryAccuracy(std::string name = "binary_accuracy",
                          double threshold = 0.5)
      : WeightedMean(std::move(name)), threshold_(threshold) {}

  // Both have one shape, except for an extra last axis of length 1. Every
  // element counts. Errors: InvalidArgument for other shapes.
  void UpdateState(
      const Tensor& labels, const Tensor& predictions,
      const std::optional<Tensor>& sample_weight = std::nullopt) override;

 private:
  double threshold_;
};

// How often the class with the largest score is the most probable class of the
// labels, such as one-hot labels.
class CategoricalAccuracy : public WeightedMean {
 public:
  explicit CategoricalAccuracy(std::string name = "categorical_accuracy")
      : WeightedMean(std::move(name)) {}

  // Labels and predictions of one shape (..., classes). Errors:
  // InvalidArgument for other shapes.
  void UpdateState(
      const Tensor& labels, const Tensor& predictions,
      const std::optional<Tensor>& sample_weight = std::nullopt) override;
};

// How often the class with the largest score is the label.
class SparseCategoricalAccuracy : public WeightedMean {
 public:
  // Labels equal to `ignore_class` do not count.
  explicit SparseCategoricalAccuracy(
      std::string name = "sparse_categorical_accuracy",
      std::optional<int64_t> ignore_class = std::nullopt)
      : WeightedMean(std::move(name)), ignore_class_(ignore_class) {}

  // Labels are numbers (int32, int64, uint8, float32) of shape (..., ) or (...,
  // 1), predictions of shape (..., classes). Errors: InvalidArgument if their
  // shapes do not fit.
  void UpdateState(
      const Tensor& labels, const Tensor& predictions,
      const std::optional<Tensor>& sample_weight = std::nullopt) override;

 private:
  std::optional<int64_t> ignore_class_;
};

// How often less than k classes have a larger score than the label. Equal
// scores do not count as larger.
class SparseTopKCategoricalAccuracy : public WeightedMean {
 public:
  // Errors: InvalidArgument for k < 1.
  explicit SparseTopKCategoricalAccuracy(
      int64_t k = 5, std::string name = "sparse_top_k_categorical_accuracy");

  // As SparseCategoricalAccuracy. A label that is not a class counts as wrong,
  // and so does an example with a score that is not finite, as in TensorFlow.
  // Errors: also Unimplemented on a GPU.
  void UpdateState(
      const Tensor& labels, const Tensor& predictions,
      const std::optional<Tensor>& sample_weight = std::nullopt) override;

 private:
  int64_t k_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_ACCURACY_H_
