// The area under a curve over all thresholds: how well scores separate positive
// examples from the others.
//
//   Auc auc({.num_thresholds = 3});                 // thresholds 0, 0.5 and 1
//   auc.UpdateState([0, 0, 1, 1], [0, 0.5, 0.3, 0.9]);
//   auc.Result();                                   // 0.75
//
// As in Keras, the state is the counts at every threshold. They are summed over
// replicas, so that the area is that of all examples, not a mean of replicas'
// areas.
#ifndef LOCKSTEP_REFERENCE_METRICS_AUC_H_
#define LOCKSTEP_REFERENCE_METRICS_AUC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/metrics/metric.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

enum class AucCurve {
  kRoc,              // true positive rate by false positive rate
  kPrecisionRecall,  // precision by recall
};

// The form of the curve between two thresholds.
enum class AucSummation {
  kInterpolation,  // linear in x, or for precision by recall in the counts
                   // (Davis and Goadrich, 2006)
  kMinoring,       // the lower end
  kMajoring,       // the upper end
};

struct AucOptions {
  int64_t num_thresholds = 200;  // evenly from 0 to 1
  AucCurve curve = AucCurve::kRoc;
  AucSummation summation = AucSummation::kInterpolation;
  std::string name = "auc";
};

class Auc : public Metric {
 public:
  // Errors: InvalidArgument for less than two thresholds.
  explicit Auc(const AucOptions& options = {});

  // Labels are 0 or 1. All scores count as above the first threshold and none
  // as above the last. Errors: InvalidArgument for other labels, scores outside
  // [0, 1], and shapes that do not fit; Unimplemented on a GPU.
  void UpdateState(
      const Tensor& labels, const Tensor& predictions,
      const std::optional<Tensor>& sample_weight = std::nullopt) override;

  // 0 before any update.
  double Result() const override;

 private:
  // Counts by threshold.
  struct Counts {
    std::vector<double> true_positives, false_positives;
    std::vector<double> true_negatives, false_negatives;
  };
  Counts Read() const;
  double InterpolatedPrecision(const Counts& counts) const;
  double Area(const std::vector<double>& x, const std::vector<double>& y) const;

  AucOptions options_;
  VariablePtr true_positives_;
  VariablePtr false_positives_;
  VariablePtr true_negatives_;
  VariablePtr false_negatives_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_AUC_H_
