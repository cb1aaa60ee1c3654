// When a callback writes its files.
#ifndef LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_SAVE_FREQUENCY_H_
#define LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_SAVE_FREQUENCY_H_

#include <cstdint>

namespace lockstep {

// Behind every epoch, or every so many batches, counted through all epochs.
//
//   .save_freq = kEveryEpoch
//   .save_freq = 100
inline constexpr int64_t kEveryEpoch = 0;

class SaveFrequency {
 public:
  explicit SaveFrequency(int64_t every) : every_(every) {}

  // Errors: InvalidArgument, led by `callback`, for one below 0.
  void Check(const char* callback) const;
  bool every_epoch() const { return every_ == kEveryEpoch; }

  // An epoch begins, or goes on, with this batch.
  void BeginEpoch(int64_t batch) { done_ = batch; }
  // Behind a batch: whether it is time.
  bool IsDue(int64_t batch);

 private:
  int64_t every_;
  int64_t done_ = 0;     // of the epoch
  int64_t waiting_ = 0;  // batches since it was due
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TRAINING_CALLBACKS_SAVE_FREQUENCY_H_
