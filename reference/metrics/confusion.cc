#include "reference/metrics/confusion.h"

#include "reference/base/error.h"
#include "reference/metrics/sample_weight.h"

namespace lockstep {
namespace {

double Share(double part, double rest) {
  return part + rest == 0 ? 0.0 : part / (part + rest);
}

void AddTo(const VariablePtr& state, double amount) {
  state->AssignAdd(Tensor::Scalar(static_cast<float>(amount)));
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
  const Tensor truth = labels.ToHost().Cast(DType::kFloat32);
  const Tensor scores = predictions.ToHost().Cast(DType::kFloat32);
  const RowWeights weight(predictions.shape(), sample_weight);
  double hits = 0;
  double false_alarms = 0;
  double misses = 0;
  for (int64_t i = 0; i < scores.num_elements(); ++i) {
    const float label = truth.at<float>(i);
    if (label != 0 && label != 1) {
      throw InvalidArgument("[Confusion] labels are 0 or 1, got {}", label);
    }
    const bool positive = scores.at<float>(i) > threshold_;
    if (positive) (label == 1 ? hits : false_alarms) += weight[i];
    if (!positive && label == 1) misses += weight[i];
  }
  AddTo(true_positives_, hits);
  AddTo(false_positives_, false_alarms);
  AddTo(false_negatives_, misses);
}

double Precision::Result() const {
  return Share(true_positives(), false_positives());
}

double Recall::Result() const {
  return Share(true_positives(), false_negatives());
}

}  // namespace lockstep
