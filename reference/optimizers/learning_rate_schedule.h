// A learning rate that depends on the number of steps taken.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_LEARNING_RATE_SCHEDULE_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_LEARNING_RATE_SCHEDULE_H_

#include <cstdint>
#include <memory>
#include <variant>

namespace lockstep {

class LearningRateSchedule {
 public:
  virtual ~LearningRateSchedule() = default;

  // The rate of the step that follows `step` finished ones.
  virtual double At(int64_t step) const = 0;
};

// What optimizers take: a number, kept in a variable that can be set and is
// saved in checkpoints, or a schedule.
using LearningRate =
    std::variant<double, std::shared_ptr<const LearningRateSchedule>>;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_LEARNING_RATE_SCHEDULE_H_
