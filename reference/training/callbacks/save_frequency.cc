#include "reference/training/callbacks/save_frequency.h"

#include "reference/base/error.h"

namespace lockstep {

void SaveFrequency::Check(const char* callback) const {
  if (every_ >= 0) return;
  throw InvalidArgument("[{}] save_freq cannot be negative, got {}", callback,
                        every_);
}

bool SaveFrequency::IsDue(int64_t batch) {
  if (every_epoch()) return false;
  waiting_ += batch + 1 - done_;
  done_ = batch + 1;
  if (waiting_ < every_) return false;
  waiting_ = 0;
  return true;
}

}  // namespace lockstep
