// A quantity accumulated over many batches, by any number of replicas.
//
//   Mean loss("loss");
//   loss.UpdateState(Tensor::FromVector<float>({1, 2}));   // on each replica
//   loss.Result();                                         // 1.5
//   loss.ResetState();
//
// The state is variables with synchronization on read and aggregation sum:
// replicas update their own copies without a barrier, and a cross-replica read
// sums them. A replica without data changes nothing. REQUIRES: created in the
// scope of the strategy it is used with.
#ifndef LOCKSTEP_REFERENCE_METRICS_METRIC_H_
#define LOCKSTEP_REFERENCE_METRICS_METRIC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/tensor/shape.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

class Metric : public Trackable {
 public:
  explicit Metric(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  const std::vector<VariablePtr>& variables() const { return variables_; }

  // Outside Run the result of all replicas, inside of this replica.
  virtual double Result() const = 0;

// The UpdateState of metrics of values hides this one. g++ 13 and later warn
// about it, at this place.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
  // Adds a batch. Errors: Unimplemented for a metric of values (Mean, Sum);
  // InvalidArgument outside Run if the metric was made in the scope of a
  // strategy.
  virtual void UpdateState(
      const Tensor& labels, const Tensor& predictions,
      const std::optional<Tensor>& sample_weight = std::nullopt);
#pragma GCC diagnostic pop

  // Sets all copies to zero. REQUIRES: cross-replica context, or no strategy.
  void ResetState();

 protected:
  // Adds a float32 variable, initially zeros, tracked under `name`.
  VariablePtr AddState(const std::string& name, const Shape& shape = {});
  // Adds a batch's part to a state. Errors: InvalidArgument outside Run if the
  // metric was made in the scope of a strategy.
  void AddTo(const VariablePtr& state, const Tensor& part) const;
  // Reads a scalar state, or all elements of a state.
  static double Read(const VariablePtr& state);
  static std::vector<double> ReadAll(const VariablePtr& state);

 private:
  std::string name_;
  std::vector<VariablePtr> variables_;
};

// Sample weights of metrics.
//
//   const Tensor values = Tensor::Zeros(Shape{2, 3});
//   RowWeights weights(values, Tensor::FromVector<float>({1, 5}));
//   weights.elements_each();   // 3: one weight per row
class RowWeights {
 public:
  // Without weights every element has weight 1. Errors: InvalidArgument unless
  // the weights are a scalar, have the values' shape, or have one element (or a
  // row of one) per row of axis 0.
  RowWeights(const Tensor& values, const std::optional<Tensor>& weights);

  // The weight of element i is weights()[i / elements_each()]. float32 on the
  // values' device, or undefined.
  const Tensor& weights() const { return weights_; }
  int64_t elements_each() const { return elements_each_; }
  // The weight of element i. REQUIRES: the values are on the host.
  double At(int64_t i) const {
    return weights_.defined() ? weights_.at<float>(i / elements_each_) : 1.0;
  }

 private:
  Tensor weights_;
  int64_t elements_each_ = 1;
};

// The weighted sum of the values and the sum of the weights, as a float32
// tensor [2] on the values' device. Errors: as RowWeights, and InvalidArgument
// for values that are not numbers.
Tensor WeightedSums(const Tensor& values,
                    const std::optional<Tensor>& sample_weight);

// The base of metrics that are a weighted mean.
class WeightedMean : public Metric {
 public:
  // Sum of value * weight over sum of weights; 0 before any update.
  double Result() const override;

 protected:
  explicit WeightedMean(std::string name);

  // Adds values (numbers of any type and shape). Weights have the values'
  // shape, or one element per row of axis 0; without weights each value counts
  // once. Errors: InvalidArgument for weights of another shape, or values that
  // are not numbers.
  void Accumulate(const Tensor& values,
                  const std::optional<Tensor>& sample_weight);

 private:
  VariablePtr total_;
  VariablePtr count_;
};

// The mean of all values. For losses that are divided by the global batch size
// it is too small by a factor of the number of replicas (the documents warn of
// this).
//
//   Mean loss("test_loss");
//   loss.UpdateState(Tensor::FromVector<float>({1, 2, 6}));
//   loss.Result();   // 3
class Mean : public WeightedMean {
 public:
  explicit Mean(std::string name = "mean") : WeightedMean(std::move(name)) {}

  void UpdateState(const Tensor& values,
                   const std::optional<Tensor>& sample_weight = std::nullopt) {
    Accumulate(values, sample_weight);
  }
};

// The weighted sum of all values.
class Sum : public Metric {
 public:
  explicit Sum(std::string name = "sum");

  // Errors as WeightedMean::Accumulate.
  void UpdateState(const Tensor& values,
                   const std::optional<Tensor>& sample_weight = std::nullopt);
  double Result() const override { return Read(total_); }

 private:
  VariablePtr total_;
};

// Precision, recall and their counts, for scores and labels 0 or 1.
//
//   Precision precision;                  // scores above 0.5 count as positive
//   precision.UpdateState(labels, scores);
//   precision.Result();                   // the share of them that are true
class Confusion : public Metric {
 public:
  // Labels are 0 or 1. Errors: InvalidArgument for other labels (on a GPU they
  // make the counts NaN instead) and for shapes that do not fit.
  void UpdateState(
      const Tensor& labels, const Tensor& predictions,
      const std::optional<Tensor>& sample_weight = std::nullopt) override;

 protected:
  Confusion(std::string name, double threshold);

  double true_positives() const { return Read(true_positives_); }
  double false_positives() const { return Read(false_positives_); }
  double false_negatives() const { return Read(false_negatives_); }

 private:
  double threshold_;
  VariablePtr true_positives_;
  VariablePtr false_positives_;
  VariablePtr false_negatives_;
};

class TruePositives : public Confusion {
 public:
  explicit TruePositives(std::string name = "true_positives",
                         double threshold = 0.5)
      : Confusion(std::move(name), threshold) {}
  double Result() const override { return true_positives(); }
};

class Precision : public Confusion {
 public:
  explicit Precision(std::string name = "precision", double threshold = 0.5)
      : Confusion(std::move(name), threshold) {}
  // 0 if nothing was predicted positive.
  double Result() const override;
};

class Recall : public Confusion {
 public:
  explicit Recall(std::string name = "recall", double threshold = 0.5)
      : Confusion(std::move(name), threshold) {}
  // 0 if nothing is positive.
  double Result() const override;
};

// Mean squared, mean absolute and root mean squared error.
//
// The error of an example is the mean over its last axis; each value of a
// rank-1 tensor is an example. So a replica without data adds nothing. (Keras
// averages rank-1 values over the batch first, and an empty batch makes its
// metric NaN permanently.)
class MeanSquaredError : public WeightedMean {
 public:
  explicit MeanSquaredError(std::string name = "mean_squared_error")
      : WeightedMean(std::move(name)) {}

  // Errors: InvalidArgument for shapes that differ by more than a last axis of
  // length 1.
  void UpdateState(
      const Tensor& labels, const Tensor& predictions,
      const std::optional<Tensor>& sample_weight = std::nullopt) override;
};

class RootMeanSquaredError : public MeanSquaredError {
 public:
  explicit RootMeanSquaredError(std::string name = "root_mean_squared_error")
      : MeanSquaredError(std::move(name)) {}

  double Result() const override;
};

class MeanAbsoluteError : public WeightedMean {
 public:
  explicit MeanAbsoluteError(std::string name = "mean_absolute_error")
      : WeightedMean(std::move(name)) {}

  // Errors: InvalidArgument for shapes that differ by more than a last axis of
  // length 1.
  void UpdateState(
      const Tensor& labels, const Tensor& predictions,
      const std::optional<Tensor>& sample_weight = std::nullopt) override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_METRIC_H_
