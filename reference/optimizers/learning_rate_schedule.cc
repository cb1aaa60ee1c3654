#include "reference/optimizers/learning_rate_schedule.h"

#include <algorithm>
#include <utility>

#include "reference/base/error.h"
#include "reference/kernels/optimizer/learning_rate.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {

LearningRate::SchedulePtr LearningRate::CheckGiven(SchedulePtr schedule) {
  if (schedule) return schedule;
  throw InvalidArgument("[LearningRate] the schedule is nullptr");
}

ObjectConfig LearningRateSchedule::Config() const {
  throw Unimplemented(
      "[LearningRateSchedule] a custom schedule must override Config to be "
      "saved");
}

ExponentialDecay::ExponentialDecay(double initial_learning_rate,
                                   int64_t decay_steps, double decay_rate,
                                   bool staircase)
    : formula_{initial_learning_rate, decay_steps, decay_rate, staircase} {
  if (decay_steps < 1) {
    throw InvalidArgument(
        "[ExponentialDecay] decay_steps must be positive, got {}", decay_steps);
  }
}

PiecewiseConstantDecay::PiecewiseConstantDecay(std::vector<int64_t> boundaries,
                                               std::vector<double> values)
    : boundaries_(std::move(boundaries)), values_(std::move(values)) {
  if (values_.size() != boundaries_.size() + 1) {
    throw InvalidArgument(
        "[PiecewiseConstantDecay] {} boundaries require {} values, got {}",
        boundaries_.size(), boundaries_.size() + 1, values_.size());
  }
  if (!std::ranges::is_sorted(boundaries_, std::ranges::less_equal{})) {
    throw InvalidArgument("[PiecewiseConstantDecay] boundaries must ascend");
  }
}

double PiecewiseConstantDecay::At(int64_t step) const {
  return At(Tensor::Scalar(step, CurrentHost())).item<double>();
}

Tensor PiecewiseConstantDecay::At(const Tensor& step) const {
  return kernels::RateAt(step, boundaries_, values_);
}

ObjectConfig ExponentialDecay::Config() const {
  return {"ExponentialDecay",
          {{"initial_learning_rate", formula_.initial},
           {"decay_steps", formula_.decay_steps},
           {"decay_rate", formula_.decay_rate},
           {"staircase", formula_.staircase}}};
}

ObjectConfig PiecewiseConstantDecay::Config() const {
  return {"PiecewiseConstantDecay",
          {{"boundaries", boundaries_}, {"values", values_}}};
}

}  // namespace lockstep
