// Learning rates that decay along a curve, as in Keras 3.
//
//   CosineDecay rate(0.5, /*decay_steps=*/10);
//   rate.At(0);    // 0.5
//   rate.At(5);    // 0.25
//   rate.At(10);   // 0, and from then on
//
// They are computed in double on the host; on a GPU the step waits for it
// (LearningRateSchedule::At). Errors of all: InvalidArgument for decay_steps
// below 1.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_DECAY_SCHEDULES_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_DECAY_SCHEDULES_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "reference/optimizers/learning_rate_schedule.h"

namespace lockstep {

// From the initial rate to `alpha` times it along half a cosine. With a
// warm-up: first linearly from the initial rate to `warmup_target`, and from
// there to `alpha` times that.
struct CosineDecayOptions {
  double alpha = 0;
  std::optional<double> warmup_target = std::nullopt;
  int64_t warmup_steps = 0;  // before decay_steps begin
};

class CosineDecay : public LearningRateSchedule {
 public:
  // Errors also: InvalidArgument for warmup_steps below 0.
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

// Repeated half cosines, each `t_mul` times as long as the previous one, and
// from `m_mul` times its first rate.
struct CosineDecayRestartsOptions {
  double t_mul = 2;
  double m_mul = 1;
  double alpha = 0;
};

class CosineDecayRestarts : public LearningRateSchedule {
 public:
  // Errors also: InvalidArgument for t_mul below 1.
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

// (initial - end) * (1 - step / decay_steps)^power + end, and `end` afterwards.
// With `cycle`, decay_steps is replaced by its first multiple that reaches the
// step.
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

// initial / (1 + rate * step / decay_steps); `staircase` rounds step /
// decay_steps down.
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

// A rise from 0 to a schedule, as the public BERT has it before a linear decay:
// target * (step / warmup_steps)^power, and from warmup_steps on what the
// schedule says of the same step. So the first step has the rate 0.
//
//   WarmUp rate(std::make_shared<PolynomialDecay>(0.5, 8,
//                   PolynomialDecayOptions{.end_learning_rate = 0}),
//               /*warmup_steps=*/2, /*target=*/0.5);
//   rate.At(1);   // 0.25
//   rate.At(2);   // 0.375, the decay of 2 of its 8 steps
//
// Keras has no such class: Config is Unimplemented.
class WarmUp : public LearningRateSchedule {
 public:
  // Errors: InvalidArgument for no schedule and for warmup_steps below 0.
  WarmUp(std::shared_ptr<const LearningRateSchedule> schedule,
         int64_t warmup_steps, double target, double power = 1);

  using LearningRateSchedule::At;
  double At(int64_t step) const override;

 private:
  std::shared_ptr<const LearningRateSchedule> schedule_;
  int64_t warmup_steps_;
  double target_;
  double power_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_DECAY_SCHEDULES_H_
