// Where checkpoints may be saved and restored, and how saves are counted.
#ifndef LOCKSTEP_REFERENCE_CHECKPOINT_SAVE_COUNT_H_
#define LOCKSTEP_REFERENCE_CHECKPOINT_SAVE_COUNT_H_

#include <cstdint>
#include <string_view>

#include "reference/autodiff/distribution_context.h"
#include "reference/autodiff/variable.h"

namespace lockstep::checkpoint_internal {

// Checks that the caller is not inside Run, where every replica's thread would
// save to the same files and count with the same counter.
// Errors: FailedPrecondition inside Run.
inline void CheckOutsideRun(std::string_view operation) {
  DistributionContext::Current().CheckOutsideRun(
      operation, "call it outside Run, or on a replica in a MergeCall");
}

// Counts a save in a checkpoint's save_counter. Undoes it if the save fails, so
// that the next save gets the same number.
//
//   SaveCount count(save_counter);       // the counter is 3
//   Write(count.value());                // throws: the counter is 2 again
//   count.Keep();
class SaveCount {
 public:
  explicit SaveCount(Variable& counter)
      : counter_(counter), before_(counter.Read()) {
    counter_.Assign(Tensor::Scalar(value()));
  }
  ~SaveCount() {
    if (!kept_) counter_.Assign(before_);
  }
  SaveCount(const SaveCount&) = delete;
  SaveCount& operator=(const SaveCount&) = delete;

  int64_t value() const { return before_.item<int64_t>() + 1; }
  void Keep() { kept_ = true; }

 private:
  Variable& counter_;
  Tensor before_;
  bool kept_ = false;
};

}  // namespace lockstep::checkpoint_internal

#endif  // LOCKSTEP_REFERENCE_CHECKPOINT_SAVE_COUNT_H_
