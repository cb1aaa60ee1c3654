#include "reference/optimizers/decay_schedules.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "reference/base/error.h"

namespace lockstep {
namespace {

int64_t CheckedSteps(std::string_view schedule, int64_t decay_steps) {
  if (decay_steps >= 1) return decay_steps;
  throw InvalidArgument("[{}] decay_steps must be positive, got {}", schedule,
                        decay_steps);
}

double Quotient(int64_t step, int64_t steps) {
  return static_cast<double>(step) / static_cast<double>(steps);
}

// From 1 to alpha as `fraction` goes from 0 to 1.
double HalfCosine(double fraction, double alpha) {
  const double cosine = 0.5 * (1 + std::cos(std::numbers::pi * fraction));
  return (1 - alpha) * cosine + alpha;
}

// The number of complete periods, of lengths 1, growth, growth^2, ..., at
// `time`, and the fraction of the next one.
struct Period {
  double over;
  double share;
};

Period PeriodAt(double time, double growth) {
  if (growth == 1) return {std::floor(time), time - std::floor(time)};
  const auto start = [growth](double over) {
    return (std::pow(growth, over) - 1) / (growth - 1);
  };
  double over =
      std::floor(std::log(1 + time * (growth - 1)) / std::log(growth));
  // At a border the logarithm may be just off the whole number.
  if (start(over + 1) <= time) ++over;
  if (start(over) > time) --over;
  return {over, (time - start(over)) / std::pow(growth, over)};
}

}  // namespace

CosineDecay::CosineDecay(double initial_learning_rate, int64_t decay_steps,
                         const CosineDecayOptions& options)
    : initial_learning_rate_(initial_learning_rate),
      decay_steps_(CheckedSteps("CosineDecay", decay_steps)),
      options_(options) {
  if (options.warmup_steps < 0) {
    throw InvalidArgument(
        "[CosineDecay] warmup_steps must be at least 0, got {}",
        options.warmup_steps);
  }
}

double CosineDecay::At(int64_t step) const {
  const double top = options_.warmup_target.value_or(initial_learning_rate_);
  const int64_t warmup = options_.warmup_target ? options_.warmup_steps : 0;
  if (step < warmup) {
    return (top - initial_learning_rate_) * Quotient(step, warmup) +
           initial_learning_rate_;
  }
  const int64_t decayed = std::min(step - warmup, decay_steps_);
  return top * HalfCosine(Quotient(decayed, decay_steps_), options_.alpha);
}

CosineDecayRestarts::CosineDecayRestarts(
    double initial_learning_rate, int64_t first_decay_steps,
    const CosineDecayRestartsOptions& options)
    : initial_learning_rate_(initial_learning_rate),
      first_decay_steps_(
          CheckedSteps("CosineDecayRestarts", first_decay_steps)),
      options_(options) {
  if (!(options.t_mul >= 1)) {
    throw InvalidArgument(
        "[CosineDecayRestarts] t_mul must be at least 1, got {}",
        options.t_mul);
  }
}

double CosineDecayRestarts::At(int64_t step) const {
  const Period period =
      PeriodAt(Quotient(step, first_decay_steps_), options_.t_mul);
  // Keras multiplies only the cosine: alpha refers to the first rate.
  const double height = std::pow(options_.m_mul, period.over);
  return initial_learning_rate_ *
         ((1 - options_.alpha) * height * HalfCosine(period.share, 0) +
          options_.alpha);
}

PolynomialDecay::PolynomialDecay(double initial_learning_rate,
                                 int64_t decay_steps,
                                 const PolynomialDecayOptions& options)
    : initial_learning_rate_(initial_learning_rate),
      decay_steps_(CheckedSteps("PolynomialDecay", decay_steps)),
      options_(options) {}

double PolynomialDecay::At(int64_t step) const {
  double fraction = Quotient(step, decay_steps_);
  if (options_.cycle) {
    fraction /= std::max(1.0, std::ceil(fraction));
  } else {
    fraction = std::min(fraction, 1.0);
  }
  return (initial_learning_rate_ - options_.end_learning_rate) *
             std::pow(1 - fraction, options_.power) +
         options_.end_learning_rate;
}

InverseTimeDecay::InverseTimeDecay(double initial_learning_rate,
                                   int64_t decay_steps, double decay_rate,
                                   bool staircase)
    : initial_learning_rate_(initial_learning_rate),
      decay_steps_(CheckedSteps("InverseTimeDecay", decay_steps)),
      decay_rate_(decay_rate),
      staircase_(staircase) {}

double InverseTimeDecay::At(int64_t step) const {
  const double quotient = Quotient(step, decay_steps_);
  return initial_learning_rate_ /
         (1 + decay_rate_ * (staircase_ ? std::floor(quotient) : quotient));
}

WarmUp::WarmUp(std::shared_ptr<const LearningRateSchedule> schedule,
               int64_t warmup_steps, double target, double power)
    : schedule_(std::move(schedule)),
      warmup_steps_(warmup_steps),
      target_(target),
      power_(power) {
  if (schedule_ == nullptr || warmup_steps < 0) {
    throw InvalidArgument(
        "[WarmUp] needs a schedule and warmup_steps of at least 0, got {}{}",
        warmup_steps, schedule_ ? "" : " and no schedule");
  }
}

double WarmUp::At(int64_t step) const {
  if (step >= warmup_steps_) return schedule_->At(step);
  return target_ * std::pow(Quotient(step, warmup_steps_), power_);
}

ObjectConfig CosineDecay::Config() const {
  ObjectConfig config{"CosineDecay",
                      {{"initial_learning_rate", initial_learning_rate_},
                       {"decay_steps", decay_steps_},
                       {"alpha", options_.alpha},
                       {"warmup_target", std::monostate()},
                       {"warmup_steps", options_.warmup_steps}}};
  if (options_.warmup_target)
    config.settings[3].second = *options_.warmup_target;
  return config;
}

ObjectConfig CosineDecayRestarts::Config() const {
  return {"CosineDecayRestarts",
          {{"initial_learning_rate", initial_learning_rate_},
           {"first_decay_steps", first_decay_steps_},
           {"t_mul", options_.t_mul},
           {"m_mul", options_.m_mul},
           {"alpha", options_.alpha}}};
}

ObjectConfig PolynomialDecay::Config() const {
  return {"PolynomialDecay",
          {{"initial_learning_rate", initial_learning_rate_},
           {"decay_steps", decay_steps_},
           {"end_learning_rate", options_.end_learning_rate},
           {"power", options_.power},
           {"cycle", options_.cycle}}};
}

ObjectConfig InverseTimeDecay::Config() const {
  return {"InverseTimeDecay",
          {{"initial_learning_rate", initial_learning_rate_},
           {"decay_steps", decay_steps_},
           {"decay_rate", decay_rate_},
           {"staircase", staircase_}}};
}

}  // namespace lockstep
