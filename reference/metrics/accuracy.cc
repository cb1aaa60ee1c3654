#include "reference/metrics/accuracy.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/base/error.h"
#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/elementwise/unary.h"
#include "reference/kernels/reduction/reduce.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

// 1 where x > threshold, else 0, as float32. The sign of the difference is
// always right.
Tensor Above(const Tensor& x, double threshold) {
  const Tensor limit =
      Tensor::Full(Shape{}, static_cast<float>(threshold), x.device());
  const Tensor sign = kernels::Sign(kernels::Subtract(x, limit));
  const Tensor one = Tensor::Full(x.shape(), 1.0f, x.device());
  return kernels::Equal(sign, one).Cast(DType::kFloat32);
}

// Reshapes integer labels to one per row of predictions. Errors:
// InvalidArgument, led by the metric's name, for another number of labels.
Tensor LabelsOfRows(const char* metric, const Tensor& labels,
                    const Tensor& predictions) {
  if (predictions.rank() < 1) {
    throw InvalidArgument("[{}] predictions need a class axis, got {}", metric,
                          Describe(predictions));
  }
  const Shape rows(predictions.shape().dims().first(predictions.rank() - 1));
  if (labels.num_elements() != rows.num_elements()) {
    throw InvalidArgument("[{}] labels {} do not fit predictions {}", metric,
                          Describe(labels), Describe(predictions));
  }
  return labels.Cast(DType::kInt64).Reshape(rows);
}

// Whether less than k scores are larger than the label's.
bool InTopK(std::span<const float> scores, int64_t label, int64_t k) {
  if (label < 0 || label >= static_cast<int64_t>(scores.size())) return false;
  const auto finite = [](float score) { return std::isfinite(score); };
  if (!std::ranges::all_of(scores, finite)) return false;
  return std::ranges::count_if(
             scores, [&](float score) { return score > scores[label]; }) < k;
}

}  // namespace

void Accuracy::UpdateState(const Tensor& labels, const Tensor& predictions,
                           const std::optional<Tensor>& sample_weight) {
  Accumulate(kernels::Equal(labels, predictions), sample_weight);
}

void BinaryAccuracy::UpdateState(const Tensor& labels,
                                 const Tensor& predictions,
                                 const std::optional<Tensor>& sample_weight) {
  const auto [truth, scores] = ops::SameRank(labels.Cast(DType::kFloat32),
                                             predictions.Cast(DType::kFloat32));
  if (truth.shape() != scores.shape()) {
    throw InvalidArgument(
        "[BinaryAccuracy] labels {} do not fit predictions {}",
        Describe(labels), Describe(predictions));
  }
  Accumulate(kernels::Equal(truth, Above(scores, threshold_)), sample_weight);
}

void CategoricalAccuracy::UpdateState(
    const Tensor& labels, const Tensor& predictions,
    const std::optional<Tensor>& sample_weight) {
  if (labels.shape() != predictions.shape() || labels.rank() == 0) {
    throw InvalidArgument(
        "[CategoricalAccuracy] labels {} do not fit predictions {}",
        Describe(labels), Describe(predictions));
  }
  Accumulate(kernels::Equal(kernels::ArgMax(labels, -1),
                            kernels::ArgMax(predictions, -1)),
             sample_weight);
}

void SparseCategoricalAccuracy::UpdateState(
    const Tensor& labels, const Tensor& predictions,
    const std::optional<Tensor>& sample_weight) {
  const Tensor wanted =
      LabelsOfRows("SparseCategoricalAccuracy", labels, predictions);
  const Tensor hits = kernels::Equal(wanted, kernels::ArgMax(predictions, -1));
  if (!ignore_class_) return Accumulate(hits, sample_weight);
  const Tensor ignored = kernels::Equal(
      wanted, Tensor::Full(wanted.shape(), *ignore_class_, wanted.device()));
  const Tensor one = Tensor::Full(wanted.shape(), 1.0f, wanted.device());
  const Tensor counted = kernels::Subtract(one, ignored.Cast(DType::kFloat32));
  Accumulate(hits, sample_weight ? kernels::Multiply(
                                       counted, ops::AlignWeights(
                                                    name().c_str(),
                                                    *sample_weight, counted))
                                 : counted);
}

SparseTopKCategoricalAccuracy::SparseTopKCategoricalAccuracy(int64_t k,
                                                             std::string name)
    : WeightedMean(std::move(name)), k_(k) {
  if (k < 1) {
    throw InvalidArgument(
        "[SparseTopKCategoricalAccuracy] k must be at least 1, got {}", k);
  }
}

void SparseTopKCategoricalAccuracy::UpdateState(
    const Tensor& labels, const Tensor& predictions,
    const std::optional<Tensor>& sample_weight) {
  const Tensor wanted =
      LabelsOfRows("SparseTopKCategoricalAccuracy", labels, predictions);
  if (!predictions.on_host() || !labels.on_host()) {
    throw Unimplemented(
        "[SparseTopKCategoricalAccuracy] has no kernel for predictions on {}",
        predictions.device().name());
  }
  const Tensor scores = predictions.Cast(DType::kFloat32);
  const size_t classes = scores.dim(scores.rank() - 1);
  Tensor hits = EmptyOnHost(wanted.shape());
  for (int64_t i = 0; i < hits.num_elements(); ++i) {
    hits.mutable_data<float>()[i] =
        InTopK(scores.span<float>().subspan(i * classes, classes),
               wanted.at<int64_t>(i), k_);
  }
  Accumulate(hits, sample_weight);
}

}  // namespace lockstep
