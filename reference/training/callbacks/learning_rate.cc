#include "reference/training/callbacks/learning_rate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/training/model/model.h"

namespace lockstep {

LearningRateScheduler::LearningRateScheduler(Schedule schedule)
    : schedule_(std::move(schedule)) {}

LearningRateScheduler::LearningRateScheduler(
    std::function<double(int epoch)> schedule)
    : schedule_([schedule = std::move(schedule)](int epoch, double) {
        return schedule(epoch);
      }) {}

void LearningRateScheduler::OnEpochBegin(int epoch) {
  Optimizer& optimizer = model().optimizer();
  const double rate = schedule_(epoch, optimizer.learning_rate());
  if (!std::isfinite(rate)) {
    throw InvalidArgument("[LearningRateScheduler] the rate of epoch {} is {}",
                          epoch + 1, rate);
  }
  optimizer.SetLearningRate(rate);
}

void LearningRateScheduler::OnEpochEnd(int /*epoch*/, Logs& logs) {
  logs.Set("lr", model().optimizer().learning_rate());
}

ReduceLROnPlateau::ReduceLROnPlateau(const ReduceLROnPlateauOptions& options)
    : options_(options),
      watch_(options.monitor, options.mode, options.min_delta) {
  if (options.factor >= 1 || options.factor < 0) {
    throw InvalidArgument(
        "[ReduceLROnPlateau] the factor must be in [0, 1), got {}",
        options.factor);
  }
}

void ReduceLROnPlateau::OnTrainBegin() {
  watch_.Reset();
  waited_ = 0;
  cooldown_left_ = 0;
}

void ReduceLROnPlateau::OnEpochEnd(int epoch, Logs& logs) {
  logs.Set("lr", model().optimizer().learning_rate());
  const std::optional<bool> improved =
      watch_.Improves(logs, "ReduceLROnPlateau");
  if (!improved) return;
  if (cooldown_left_ > 0) {
    --cooldown_left_;
    waited_ = 0;
  }
  if (*improved) {
    waited_ = 0;
  } else if (cooldown_left_ == 0 && ++waited_ >= options_.patience) {
    Reduce(epoch);
  }
}

void ReduceLROnPlateau::Reduce(int epoch) {
  Optimizer& optimizer = model().optimizer();
  const double before = optimizer.learning_rate();
  // The rate is stored in float32, but the limit is not.
  if (before <= static_cast<float>(options_.min_lr)) return;
  const double rate = std::max(before * options_.factor, options_.min_lr);
  optimizer.SetLearningRate(rate);
  LogInfo("[ReduceLROnPlateau] epoch {}: the learning rate is {} now",
          epoch + 1, rate);
  cooldown_left_ = options_.cooldown;
  waited_ = 0;
}

}  // namespace lockstep
