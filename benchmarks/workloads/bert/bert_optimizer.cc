#include "benchmarks/workloads/bert/bert_optimizer.h"

#include "reference/optimizers/decay_schedules.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep::benchmarks {

std::unique_ptr<Optimizer> MakeBertOptimizer(const BertRate& rate) {
  const auto decay = std::make_shared<PolynomialDecay>(
      rate.rate, rate.steps, PolynomialDecayOptions{.end_learning_rate = 0});
  auto optimizer = std::make_unique<AdamW>(AdamWOptions{
      .learning_rate =
          std::make_shared<WarmUp>(decay, rate.warmup_steps, rate.rate),
      .epsilon = 1e-6,
      .options = {
          .name = "adamw", .weight_decay = 0.01, .global_clipnorm = 1.0}});
  optimizer->ExcludeFromWeightDecay({.names = {"bias", "gamma", "beta"}});
  return optimizer;
}

}  // namespace lockstep::benchmarks
