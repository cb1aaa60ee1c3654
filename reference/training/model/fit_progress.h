// Where fit is.
#ifndef LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_PROGRESS_H_
#define LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_PROGRESS_H_

#include <cstdint>

namespace lockstep {

class FitProgress {
 public:
  explicit FitProgress(int initial_epoch) : epoch_(initial_epoch) {}

  // The epoch that is trained, and how many of its batches were.
  int epoch() const { return epoch_; }
  int64_t step() const { return step_; }
  // Training ends behind this batch, its epoch with validation and OnEpochEnd.
  void Stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

  void BatchDone() { ++step_; }
  void EpochDone() {
    ++epoch_;
    step_ = 0;
  }

 private:
  int epoch_;
  int64_t step_ = 0;
  bool stopped_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_MODEL_FIT_PROGRESS_H_
