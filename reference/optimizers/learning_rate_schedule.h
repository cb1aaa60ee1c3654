// A learning rate that depends on the number of steps taken.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_LEARNING_RATE_SCHEDULE_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_LEARNING_RATE_SCHEDULE_H_

#include <cstdint>
#include <memory>
#include <variant>

#include "reference/tensor/tensor.h"

namespace lockstep {

class LearningRateSchedule {
 public:
  virtual ~LearningRateSchedule() = default;

  // The rate of the step that follows `step` finished ones.
  virtual double At(int64_t step) const = 0;

  // The same for an int64 scalar on a GPU: a float64 scalar there. Schedules of
  // this library compute it there; one that does not override it is asked on
  // the host, which waits, and its steps cannot be captured as a CUDA graph.
  virtual Tensor At(const Tensor& step) const {
    return Tensor::Scalar(At(step.item<int64_t>()), step.device());
  }
};

// What optimizers take: a number, kept in a variable that can be set and is
// saved in checkpoints, or a schedule.
using LearningRate =
    std::variant<double, std::shared_ptr<const LearningRateSchedule>>;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_LEARNING_RATE_SCHEDULE_H_
