// Learning rates that fall along a curve, as Keras 3 has them.
//
//   CosineDecay rate(0.5, /*decay_steps=*/10);
//   rate.At(0);    // 0.5
//   rate.At(5);    // 0.25
//   rate.At(10);   // 0, and ever after
//
// They are computed in double with the host; on a GPU the step waits for it
// (LearningRateSchedule::At). Errors of all: InvalidArgument for decay_steps
// below 1.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_DECAY_SCHEDULES_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_DECAY_SCHEDULES_H_

#include <cstdint>
#include <optional>

#include "reference/optimizers/learning_rate_schedule.h"

namespace lockstep {

// From the initial rate to `alpha` times it along half a cosine. With a
// warm-up: first in a straight line from the initial rate to `warmup_target`,
// and from there to `alpha` times that.
struct CosineDecayOptions {
  double alpha = 0;
  std::optional<double> warmup_target = std::nullopt;
  int64_t warmup_steps = 0;  // before decay_steps begin
};

class CosineDecay : public LearningRateSchedule {
 public:
  // Errors: InvalidArgument also for warmup_steps below 0.
  CosineDecay(double initial_learning_rate, int64_t decay_steps,
              const CosineDecayOptions& options = {});

  using LearningRateSchedule::At;
  double At(int64_t step) const override;
  ObjectConfig Config() const override;

 private:
  double initial_learning_rate_;
  int64_t decay_steps_;
  CosineDecayOptions options_;
};

// Half a cosine again and again: each `t_mul` times as long as the one before,
// from `m_mul` times its first rate.
struct CosineDecayRestartsOptions {
  double t_mul = 2;
  double m_mul = 1;
  double alpha = 0;
};

class CosineDecayRestarts : public LearningRateSchedule {
 public:
  // Errors: InvalidArgument also for t_mul below 1.
  CosineDecayRestarts(double initial_learning_rate, int64_t first_decay_steps,
                      const CosineDecayRestartsOptions& options = {});

  using LearningRateSchedule::At;
  double At(int64_t step) const override;
  ObjectConfig Config() const override;

 private:
  double initial_learning_rate_;
  int64_t first_decay_steps_;
  CosineDecayRestartsOptions options_;
};

// (initial - end) * (1 - step / decay_steps)^power + end, and `end` ever after;
// with `cycle`, decay_steps are as often doubled, tripled, ... as it takes to
// reach the step.
struct PolynomialDecayOptions {
  double end_learning_rate = 0.0001;
  double power = 1;
  bool cycle = false;
};

class PolynomialDecay : public LearningRateSchedule {
 public:
  PolynomialDecay(double initial_learning_rate, int64_t decay_steps,
                  const PolynomialDecayOptions& options = {});

  using LearningRateSchedule::At;
  double At(int64_t step) const override;
  ObjectConfig Config() const override;

 private:
  double initial_learning_rate_;
  int64_t decay_steps_;
  PolynomialDecayOptions options_;
};

// initial / (1 + rate * step / decay_steps); with `staircase` the quotient of
// the steps is whole.
class InverseTimeDecay : public LearningRateSchedule {
 public:
  InverseTimeDecay(double initial_learning_rate, int64_t decay_steps,
                   double decay_rate, bool staircase = false);

  using LearningRateSchedule::At;
  double At(int64_t step) const override;
  ObjectConfig Config() const override;

 private:
  double initial_learning_rate_;
  int64_t decay_steps_;
  double decay_rate_;
  bool staircase_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_DECAY_SCHEDULES_H_
