// Learning rates that depend on the number of steps taken.
//
//   ExponentialDecay rate(1.0, /*decay_steps=*/1, /*decay_rate=*/0.5);
//   rate.At(2);   // 0.25
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_LEARNING_RATE_SCHEDULE_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_LEARNING_RATE_SCHEDULE_H_

#include <cstdint>
#include <memory>
#include <variant>
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
using LearningRate =
    std::variant<double, std::shared_ptr<const LearningRateSchedule>>;

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
