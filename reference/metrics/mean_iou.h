// Mean intersection over union: how well predicted classes cover the true ones,
// for instance of an image's pixels.
//
//   MeanIou iou(2);
//   iou.UpdateState([0, 0, 1, 1], [0, 1, 0, 1]);   // 1 of 3 for each class
//   iou.Result();                                  // 1 / 3
//
// A class's intersection over union is how often it is both predicted and true,
// divided by how often it is either. The state is the count of every pair of
// classes, summed over replicas, so that the mean is that of all examples.
#ifndef LOCKSTEP_REFERENCE_METRICS_MEAN_IOU_H_
#define LOCKSTEP_REFERENCE_METRICS_MEAN_IOU_H_

#include <cstdint>
#include <optional>
#include <string>

#include "reference/metrics/metric.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

class MeanIou : public Metric {
 public:
  // Errors: InvalidArgument for less than one class.
  explicit MeanIou(int64_t num_classes, std::string name = "mean_io_u");

  // Labels and predictions are class numbers. A pair with a number that is not
  // a class does not count. Errors: InvalidArgument for shapes that do not fit;
  // Unimplemented on a GPU.
  void UpdateState(
      const Tensor& labels, const Tensor& predictions,
      const std::optional<Tensor>& sample_weight = std::nullopt) override;

  // The mean over the classes that occur; 0 before any update.
  double Result() const override;

 private:
  int64_t num_classes_;
  VariablePtr confusion_;  // [label, prediction]
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_MEAN_IOU_H_
