// Watches whether a number of the logs improves.
#ifndef LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_METRIC_WATCH_H_
#define LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_METRIC_WATCH_H_

#include <optional>
#include <string>

#include "reference/training/events/logs.h"

namespace lockstep {

enum class WatchMode {
  kAuto,  // kMax for names with "acc", "auc", "precision", "recall" or "f1"
  kMin,   // smaller is better
  kMax,
};

class MetricWatch {
 public:
  // An improvement of at most `min_delta` does not count. The first number is
  // compared with `best`.
  MetricWatch(std::string name, WatchMode mode, double min_delta = 0,
              std::optional<double> best = std::nullopt);

  const std::string& name() const { return name_; }
  // Whether the number is better than all before; false for NaN. nullopt, with a
  // warning that names `callback`, if the logs do not have it.
  std::optional<bool> Improves(const Logs& logs, const char* callback);
  const std::optional<double>& best() const { return best_; }
  bool IsBetter(double value, double than) const;
  // Restarts from `best`.
  void Reset(std::optional<double> best = std::nullopt) { best_ = best; }

 private:
  std::string name_;
  bool larger_is_better_;
  double min_delta_;
  std::optional<double> best_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_METRIC_WATCH_H_
