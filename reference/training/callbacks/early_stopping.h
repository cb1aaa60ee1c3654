// Ends training where it goes wrong or no further.
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
  double min_delta = 0;  // what is better by no more is not better
  int patience = 0;      // epochs that may be no better
  WatchMode mode = WatchMode::kAuto;
  // The first epochs have to be better than that.
  std::optional<double> baseline = std::nullopt;
  // At the end the model gets the weights of its best epoch.
  bool restore_best_weights = false;
  int start_from_epoch = 0;  // earlier ones do not count
};

// Ends training when a number of the logs gets no better.
//
//   MakeCallback<EarlyStopping>(EarlyStoppingOptions{.patience = 2})
//
// ends it after the third epoch of equal losses.
class EarlyStopping : public Callback {
 public:
  explicit EarlyStopping(const EarlyStoppingOptions& options = {});

  // Where it ended training; nothing where it did not.
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

// Ends training at the first batch whose loss is no number.
class TerminateOnNaN : public Callback {
 public:
  void OnTrainBatchEnd(int64_t batch, const LazyLogs& logs) override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_EARLY_STOPPING_H_
