#include "reference/metrics/metric.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/base/error.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/elementwise/unary.h"
#include "reference/kernels/reduction/reduce.h"
#include "reference/kernels/reduction/weighted_sums.h"

namespace lockstep {

VariablePtr Metric::AddState(const std::string& name, const Shape& shape) {
  VariablePtr state =
      MakeVariable({.initial_value = [&] { return Tensor::Zeros(shape); },
                    .name = name_ + "/" + name,
                    .trainable = false,
                    .synchronization = VariableSynchronization::kOnRead,
                    .aggregation = VariableAggregation::kSum});
  TrackChild(name, *state);
  variables_.push_back(state);
  return state;
}

void Metric::AddTo(const VariablePtr& state, const Tensor& part) const {
  const bool is_shared =
      dynamic_cast<const LocalVariable*>(state.get()) == nullptr;
  if (is_shared && !DistributionContext::Current().in_run()) {
    throw InvalidArgument(
        "[UpdateState] metric '{}' was made in the scope of a strategy: call "
        "it inside Run, or make it outside the scope",
        name_);
  }
  state->AssignAdd(part);
}

double Metric::Read(const VariablePtr& state) {
  return state->Read().item<float>();
}

std::vector<double> Metric::ReadAll(const VariablePtr& state) {
  const std::vector<float> values = state->Read().ToVector<float>();
  return {values.begin(), values.end()};
}

void Metric::UpdateState(const Tensor& /*labels*/,
                         const Tensor& /*predictions*/,
                         const std::optional<Tensor>& /*sample_weight*/) {
  throw Unimplemented("[Metric] '{}' takes values, not predictions and labels",
                      name_);
}

void Metric::ResetState() {
  for (const VariablePtr& variable : variables_) {
    variable->Assign(Tensor::Zeros(variable->shape()));
  }
}

RowWeights::RowWeights(const Tensor& values,
                       const std::optional<Tensor>& weights) {
  if (!weights) return;
  const int64_t elements = values.num_elements();
  const int64_t rows = values.rank() == 0 ? 1 : values.dim(0);
  const bool one_for_all = weights->rank() == 0;
  const bool one_each = weights->shape() == values.shape();
  const bool one_a_row = weights->rank() >= 1 && weights->dim(0) == rows &&
                         weights->num_elements() == rows;
  if (!one_for_all && !one_each && !one_a_row) {
    throw InvalidArgument("[Metric] values {} and sample weights {} do not fit",
                          ToString(values.shape()), ToString(weights->shape()));
  }
  weights_ = weights->Cast(DType::kFloat32).To(values.device());
  if (!one_each) {
    const int64_t groups = one_for_all ? 1 : std::max<int64_t>(rows, 1);
    elements_each_ = std::max<int64_t>(elements / groups, 1);
  }
}

Tensor WeightedSums(const Tensor& values,
                    const std::optional<Tensor>& sample_weight) {
  const Tensor numbers = values.Cast(DType::kFloat32);
  const RowWeights weights(numbers, sample_weight);
  return kernels::WeightedSums(numbers, weights.weights(),
                               weights.elements_each());
}

WeightedMean::WeightedMean(std::string name)
    : Metric(std::move(name)),
      total_(AddState("total")),
      count_(AddState("count")) {}

void WeightedMean::Accumulate(const Tensor& values,
                              const std::optional<Tensor>& sample_weight) {
  const Tensor sums = WeightedSums(values, sample_weight);
  AddTo(total_, sums.Row(0));
  AddTo(count_, sums.Row(1));
}

double WeightedMean::Result() const {
  const double count = Read(count_);
  return count == 0 ? 0.0 : Read(total_) / count;
}

Sum::Sum(std::string name)
    : Metric(std::move(name)), total_(AddState("total")) {}

void Sum::UpdateState(const Tensor& values,
                      const std::optional<Tensor>& sample_weight) {
  AddTo(total_, WeightedSums(values, sample_weight).Row(0));
}

namespace {

double Share(double part, double rest) {
  return part + rest == 0 ? 0.0 : part / (part + rest);
}

}  // namespace

Confusion::Confusion(std::string name, double threshold)
    : Metric(std::move(name)),
      threshold_(threshold),
      true_positives_(AddState("true_positives")),
      false_positives_(AddState("false_positives")),
      false_negatives_(AddState("false_negatives")) {}

void Confusion::UpdateState(const Tensor& labels, const Tensor& predictions,
                            const std::optional<Tensor>& sample_weight) {
  if (labels.num_elements() != predictions.num_elements()) {
    throw InvalidArgument("[Confusion] labels {} do not fit predictions {}",
                          Describe(labels), Describe(predictions));
  }
  const RowWeights weights(predictions, sample_weight);
  const Tensor sums = kernels::ConfusionSums(
      labels.Cast(DType::kFloat32).To(predictions.device()),
      predictions.Cast(DType::kFloat32), threshold_, weights.weights(),
      weights.elements_each());
  AddTo(true_positives_, sums.Row(0));
  AddTo(false_positives_, sums.Row(1));
  AddTo(false_negatives_, sums.Row(2));
}

double Precision::Result() const {
  return Share(true_positives(), false_positives());
}

double Recall::Result() const {
  return Share(true_positives(), false_negatives());
}

namespace {

Tensor Difference(const Tensor& labels, const Tensor& predictions) {
  const auto [truth, prediction] = ops::SameRank(
      labels.Cast(DType::kFloat32), predictions.Cast(DType::kFloat32));
  if (truth.shape() != prediction.shape()) {
    throw InvalidArgument("[MeanError] labels {} do not fit predictions {}",
                          Describe(labels), Describe(predictions));
  }
  return kernels::Subtract(truth, prediction);
}

// The error of each example: the mean over the last axis if there are two or
// more.
Tensor OfEachExample(const Tensor& errors) {
  if (errors.rank() < 2) return errors;
  return kernels::ReduceMean(errors, std::array{-1});
}

}  // namespace

void MeanSquaredError::UpdateState(const Tensor& labels,
                                   const Tensor& predictions,
                                   const std::optional<Tensor>& sample_weight) {
  Accumulate(OfEachExample(kernels::Square(Difference(labels, predictions))),
             sample_weight);
}

double RootMeanSquaredError::Result() const {
  return std::sqrt(MeanSquaredError::Result());
}

void MeanAbsoluteError::UpdateState(
    const Tensor& labels, const Tensor& predictions,
    const std::optional<Tensor>& sample_weight) {
  Accumulate(OfEachExample(kernels::Abs(Difference(labels, predictions))),
             sample_weight);
}

}  // namespace lockstep
