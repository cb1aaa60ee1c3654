// How well predicted classes cover the true ones, as of the pixels of an image.
//
//   MeanIou iou(2);
//   iou.UpdateState([0, 0, 1, 1], [0, 1, 0, 1]);   // of each class 1 of 3
//   iou.Result();                                  // 1 / 3
//
// Of a class, the intersection over the union: how often it is predicted and
// true, of how often it is either. The state is a count of every pair of classes,
// which those of all replicas are added to; no replica has a mean of its own that
// could be averaged.
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

  // Labels and predictions are class numbers; a pair with one that is no class
  // does not count. Errors: InvalidArgument for shapes that do not fit;
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
