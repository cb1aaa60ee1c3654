#include "reference/metrics/mean_iou.h"

#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {

MeanIou::MeanIou(int64_t num_classes, std::string name)
    : Metric(std::move(name)), num_classes_(num_classes) {
  if (num_classes < 1) {
    throw InvalidArgument("[MeanIou] num_classes must be 1 or more, got {}",
                          num_classes);
  }
  confusion_ =
      AddState("total_confusion_matrix", Shape{num_classes, num_classes});
}

void MeanIou::UpdateState(const Tensor& labels, const Tensor& predictions,
                          const std::optional<Tensor>& sample_weight) {
  if (labels.num_elements() != predictions.num_elements()) {
    throw InvalidArgument("[MeanIou] labels {} do not fit predictions {}",
                          Describe(labels), Describe(predictions));
  }
  if (!predictions.on_host() || !labels.on_host()) {
    throw Unimplemented("[MeanIou] has no kernel for predictions on {}",
                        predictions.device().name());
  }
  const Tensor truth = labels.Cast(DType::kInt64);
  const Tensor guess = predictions.Cast(DType::kInt64);
  const RowWeights weights(predictions, sample_weight);
  Tensor batch = ZerosOnHost(Shape{num_classes_, num_classes_});
  const auto is_class = [&](int64_t number) {
    return number >= 0 && number < num_classes_;
  };
  for (int64_t i = 0; i < guess.num_elements(); ++i) {
    const int64_t row = truth.at<int64_t>(i), column = guess.at<int64_t>(i);
    if (!is_class(row) || !is_class(column)) continue;
    batch.mutable_data<float>()[row * num_classes_ + column] +=
        static_cast<float>(weights.At(i));
  }
  AddTo(confusion_, batch);
}

double MeanIou::Result() const {
  const std::vector<double> counts = ReadAll(confusion_);
  double total = 0;
  int64_t classes = 0;
  for (int64_t c = 0; c < num_classes_; ++c) {
    const double both = counts[c * num_classes_ + c];
    double either = -both;
    for (int64_t other = 0; other < num_classes_; ++other) {
      either +=
          counts[c * num_classes_ + other] + counts[other * num_classes_ + c];
    }
    if (either == 0) continue;
    total += both / either;
    ++classes;
  }
  return classes == 0 ? 0.0 : total / static_cast<double>(classes);
}

}  // namespace lockstep
