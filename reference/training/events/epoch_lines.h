// Prints a line per epoch, as Keras does without a terminal. On a terminal, also a
// progress bar during the epoch.
//
//   Epoch 1/2
//   938/938 - 3s - 3ms/step - accuracy: 0.9412 - loss: 0.2071
#ifndef LOCKSTEP_REFERENCE_TRAINING_EVENTS_EPOCH_LINES_H_
#define LOCKSTEP_REFERENCE_TRAINING_EVENTS_EPOCH_LINES_H_

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "reference/base/terminal.h"
#include "reference/training/events/callback.h"

namespace lockstep {

// "accuracy: 0.9412 - loss: 1.2346e-05".
std::string ToString(const Logs& logs);

class EpochLines : public Callback {
 public:
  explicit EpochLines(std::FILE* out = stdout) : out_(out) {}

  void OnEpochBegin(int epoch) override;
  void OnEpochEnd(int epoch, Logs& logs) override;
  void OnTrainBatchEnd(int64_t batch, const LazyLogs& logs) override;
  void OnClose() override;

 private:
  using Clock = std::chrono::steady_clock;

  std::FILE* const out_;
  std::optional<ProgressBar> bar_;
  Clock::time_point start_;
  int64_t steps_ = 0;  // in this epoch so far
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_EVENTS_EPOCH_LINES_H_
