// Callbacks that end training early.
#ifndef LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_EARLY_STOPPING_H_
#define LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_EARLY_STOPPING_H_

#include <optional>
#include <string>
#include <vector>

#include "reference/tensor/tensor.h"
#include "reference/training/callbacks/metric_watch.h"
#include "reference/training/events/callback.h"

namespace lockstep {

struct EarlyStoppingOptions {
  std::string monitor = "val_loss";
  double min_delta = 0;  // smaller improvements do not count
  int patience = 0;      // epochs without improvement before it stops
  WatchMode mode = WatchMode::kAuto;
  // The first epochs must be better than this.
  std::optional<double> baseline = std::nullopt;
  // At the end, restores the weights of the best epoch.
  bool restore_best_weights = false;
  int start_from_epoch = 0;  // earlier epochs do not count
};

// Ends training when a number of the logs stops improving.
//
//   // ends training after the third epoch of equal losses
//   MakeCallback<EarlyStopping>(EarlyStoppingOptions{.patience = 2})
class EarlyStopping : public Callback {
 public:
  explicit EarlyStopping(const EarlyStoppingOptions& options = {});

  // The epoch after which it ended training; nullopt if it did not.
  const std::optional<int>& stopped_epoch() const { return stopped_epoch_; }

  void OnTrainBegin() override;
  void OnEpochEnd(int epoch, Logs& logs) override;
  void OnTrainEnd(const Logs& logs) override;

 private:
  void KeepWeights();

  const EarlyStoppingOptions options_;
  MetricWatch watch_;
  int waited_ = 0;
  std::optional<int> stopped_epoch_;
  std::vector<Tensor> best_weights_;
};

// Ends training at the first batch whose loss is NaN or infinite.
class TerminateOnNaN : public Callback {
 public:
  void OnTrainBatchEnd(int64_t batch, const LazyLogs& logs) override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_EARLY_STOPPING_H_
