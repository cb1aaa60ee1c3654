// Callbacks that set the learning rate. They add it to the logs as "lr".
#ifndef LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_LEARNING_RATE_H_
#define LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_LEARNING_RATE_H_

#include <functional>
#include <string>

#include "reference/training/callbacks/metric_watch.h"
#include "reference/training/events/callback.h"

namespace lockstep {

// Sets the rate at the start of each epoch.
//
//   MakeCallback<LearningRateScheduler>(
//       [](int epoch) { return epoch < 3 ? 1e-3 : 1e-4; })
//   MakeCallback<LearningRateScheduler>(
//       [](int epoch, double rate) { return rate / 2; })
//
// Errors, of fit: FailedPrecondition if the optimizer has a schedule;
// InvalidArgument if a rate is not finite.
class LearningRateScheduler : public Callback {
 public:
  using Schedule = std::function<double(int epoch, double rate)>;

  explicit LearningRateScheduler(Schedule schedule);
  explicit LearningRateScheduler(std::function<double(int epoch)> schedule);

  void OnEpochBegin(int epoch) override;
  void OnEpochEnd(int epoch, Logs& logs) override;

 private:
  const Schedule schedule_;
};

struct ReduceLROnPlateauOptions {
  std::string monitor = "val_loss";
  double factor = 0.1;  // the rate is multiplied by it
  int patience = 10;    // epochs without improvement before it reduces the rate
  WatchMode mode = WatchMode::kAuto;
  double min_delta = 1e-4;
  int cooldown = 0;  // epochs after a reduction that do not count
  double min_lr = 0;
};

// Reduces the rate when a number of the logs stops improving.
class ReduceLROnPlateau : public Callback {
 public:
  // Errors: InvalidArgument if the factor is not in [0, 1).
  explicit ReduceLROnPlateau(const ReduceLROnPlateauOptions& options = {});

  void OnTrainBegin() override;
  void OnEpochEnd(int epoch, Logs& logs) override;

 private:
  void Reduce(int epoch);

  const ReduceLROnPlateauOptions options_;
  MetricWatch watch_;
  int waited_ = 0;
  int cooldown_left_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_LEARNING_RATE_H_
