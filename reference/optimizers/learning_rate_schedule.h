// Learning rates that depend on the number of steps taken.
//
//   ExponentialDecay rate(1.0, /*decay_steps=*/1, /*decay_rate=*/0.5);
//   rate.At(2);   // 0.25
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_LEARNING_RATE_SCHEDULE_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_LEARNING_RATE_SCHEDULE_H_

#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/base/naming/object_config.h"
#include "reference/kernels/optimizer/learning_rate.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

class LearningRateSchedule {
 public:
  virtual ~LearningRateSchedule() = default;

  // The rate of the step after `step` completed ones.
  virtual double At(int64_t step) const = 0;

  // The same for an int64 scalar on a GPU, as a float64 scalar there. A
  // schedule that does not override it is computed on the host, which waits for
  // the GPU; its steps cannot be captured as a CUDA graph.
  virtual Tensor At(const Tensor& step) const {
    return Tensor::Scalar(At(step.item<int64_t>()), step.device());
  }

  // Errors: Unimplemented for a custom class that does not override it.
  virtual ObjectConfig Config() const;
};

// The argument of optimizers: a number, stored in a variable that can be set
// and is saved in checkpoints, or a schedule.
//
//   Sgd({.learning_rate = 1});
//   Sgd({.learning_rate = std::make_shared<ExponentialDecay>(1.0, 1, 0.5)});
class LearningRate {
 public:
  template <typename Number>
  requires std::is_arithmetic_v<Number> LearningRate(Number number)  // NOLINT
      : number_(static_cast<double>(number)) {}
  // Errors: InvalidArgument for nullptr.
  template <std::derived_from<LearningRateSchedule> Schedule>
  LearningRate(std::shared_ptr<Schedule> schedule)  // NOLINT
      : schedule_(CheckGiven(std::move(schedule))) {}

  // nullptr if it is a number.
  const std::shared_ptr<const LearningRateSchedule>& schedule() const {
    return schedule_;
  }
  // REQUIRES: it is a number.
  double number() const { return number_; }

 private:
  using SchedulePtr = std::shared_ptr<const LearningRateSchedule>;
  static SchedulePtr CheckGiven(SchedulePtr schedule);

  double number_ = 0;
  SchedulePtr schedule_;
};

// initial * rate^(step / decay_steps); `staircase` rounds the quotient down.
class ExponentialDecay : public LearningRateSchedule {
 public:
  // Errors: InvalidArgument for decay_steps < 1.
  ExponentialDecay(double initial_learning_rate, int64_t decay_steps,
                   double decay_rate, bool staircase = false);

  double At(int64_t step) const override { return formula_.At(step); }
  Tensor At(const Tensor& step) const override {
    return kernels::RateAt(step, formula_);
  }
  ObjectConfig Config() const override;

 private:
  kernels::ExponentialRate formula_;
};

// values[0] up to and including step boundaries[0], then values[1], and so on.
//
//   PiecewiseConstantDecay rate({1}, {1.0, 0.1});
//   rate.At(0);   // 1.0
//   rate.At(1);   // 1.0
//   rate.At(2);   // 0.1
class PiecewiseConstantDecay : public LearningRateSchedule {
 public:
  // Errors: InvalidArgument unless there is one value more than boundaries and
  // the boundaries ascend.
  PiecewiseConstantDecay(std::vector<int64_t> boundaries,
                         std::vector<double> values);

  double At(int64_t step) const override;
  Tensor At(const Tensor& step) const override;
  ObjectConfig Config() const override;

 private:
  std::vector<int64_t> boundaries_;
  std::vector<double> values_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_LEARNING_RATE_SCHEDULE_H_
