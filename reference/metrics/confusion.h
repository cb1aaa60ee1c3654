// Precision, recall and the counts behind them, for scores against 0/1 labels.
//
//   Precision precision;                  // scores above 0.5 count as positive
//   precision.UpdateState(labels, scores);
//   precision.Result();                   // of the positives, how many are true
#ifndef LOCKSTEP_REFERENCE_METRICS_CONFUSION_H_
#define LOCKSTEP_REFERENCE_METRICS_CONFUSION_H_

#include "reference/metrics/metric.h"

namespace lockstep {

// Counts true positives, false positives and false negatives.
class Confusion : public Metric {
 public:
  // Labels are 0 or 1. Errors: InvalidArgument for other labels (on a GPU they
  // make the counts NaN instead) and for shapes that do not fit.
  void UpdateState(const Tensor& labels, const Tensor& predictions,
                   const std::optional<Tensor>& sample_weight = std::nullopt);

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
  // 0 when nothing was predicted positive.
  double Result() const override;
};

class Recall : public Confusion {
 public:
  explicit Recall(std::string name = "recall", double threshold = 0.5)
      : Confusion(std::move(name), threshold) {}
  // 0 when nothing is positive.
  double Result() const override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_CONFUSION_H_
