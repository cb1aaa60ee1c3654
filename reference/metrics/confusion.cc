#include "reference/metrics/confusion.h"

#include "reference/base/error.h"
#include "reference/kernels/weighted_sums.h"
#include "reference/metrics/sample_weight.h"

namespace lockstep {
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
  true_positives_->AssignAdd(sums.Row(0));
  false_positives_->AssignAdd(sums.Row(1));
  false_negatives_->AssignAdd(sums.Row(2));
}

double Precision::Result() const {
  return Share(true_positives(), false_positives());
}

double Recall::Result() const {
  return Share(true_positives(), false_negatives());
}

}  // namespace lockstep
