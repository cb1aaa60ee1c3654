// When a callback saves.
#ifndef LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_SAVE_FREQUENCY_H_
#define LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_SAVE_FREQUENCY_H_

#include <cstdint>

namespace lockstep {

// After each epoch, or after every n batches, counted over all epochs.
//
//   .save_freq = kEveryEpoch
//   .save_freq = 100
inline constexpr int64_t kEveryEpoch = 0;

class SaveFrequency {
 public:
  explicit SaveFrequency(int64_t every) : every_(every) {}

  // Errors: InvalidArgument, which names `callback`, if it is negative.
  void Check(const char* callback) const;
  bool every_epoch() const { return every_ == kEveryEpoch; }

  // An epoch begins, or resumes, with this batch.
  void BeginEpoch(int64_t batch) { done_ = batch; }
  // Call after a batch. Returns whether to save now.
  bool IsDue(int64_t batch);

 private:
  int64_t every_;
  int64_t done_ = 0;     // batches of the epoch
  int64_t waiting_ = 0;  // batches since the last save
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_SAVE_FREQUENCY_H_
