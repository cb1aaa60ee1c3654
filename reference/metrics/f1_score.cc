#include "reference/metrics/f1_score.h"

namespace lockstep {

double F1Score::Result() const {
  const double found = 2 * true_positives();
  const double all = found + false_positives() + false_negatives();
  return all == 0 ? 0 : found / all;
}

}  // namespace lockstep
