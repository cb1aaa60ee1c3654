// The F1 score.
//
//   F1Score f1;                              // scores above 0.5 are positive
//   f1.UpdateState([1, 1, 0], [0.9, 0.1, 0.8]);
//   f1.Result();                             // 2 * 1 / (2 * 1 + 1 + 1) = 0.5
#ifndef LOCKSTEP_REFERENCE_METRICS_F1_SCORE_H_
#define LOCKSTEP_REFERENCE_METRICS_F1_SCORE_H_

#include <string>
#include <utility>

#include "reference/metrics/metric.h"

namespace lockstep {

// The harmonic mean of precision and recall over the examples of all replicas,
// whose counts are summed.
class F1Score : public Confusion {
 public:
  explicit F1Score(std::string name = "f1_score", double threshold = 0.5)
      : Confusion(std::move(name), threshold) {}
  // 0 if there are neither positive labels nor positive predictions.
  double Result() const override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_F1_SCORE_H_
