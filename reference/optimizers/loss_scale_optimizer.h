// Keeps small gradients from becoming 0 in float16: multiplies the loss by a
// scale, divides the gradients by it, and passes them to another optimizer.
//
//   LossScaleOptimizer optimizer(std::make_shared<Adam>());
//   GradientTape tape;
//   Tensor scaled = optimizer.ScaleLoss(loss(...));     // times 32768 at first
//   auto gradients = tape.Gradient(scaled, variables);  // 32768 times as large
//   optimizer.ApplyGradients(...);                      // divides, then steps
//
// A step with a gradient that is not finite, on any replica, is skipped on all
// replicas: variables, their state and iterations() stay, and the scale is
// halved. After `dynamic_growth_steps` finite steps in a row it is doubled, as
// long as it stays finite.
//
// Each replica divides its own gradients before they are summed, so a sum
// overflows no earlier than without a scale. Checkpoints see `dynamic_scale`,
// `step_counter` and `inner_optimizer`.
#ifndef LOCKSTEP_REFERENCE_OPTIMIZERS_LOSS_SCALE_OPTIMIZER_H_
#define LOCKSTEP_REFERENCE_OPTIMIZERS_LOSS_SCALE_OPTIMIZER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference/optimizers/optimizer.h"

namespace lockstep {

struct LossScaleOptions {
  double initial_scale = 32768;
  int64_t dynamic_growth_steps = 2000;
  std::string name = "loss_scale_optimizer";
};

class LossScaleOptimizer : public Optimizer {
 public:
  // Errors: InvalidArgument for no inner optimizer or one that scales the loss
  // itself, a scale that is not positive and finite in float32, or growth steps
  // below 1.
  explicit LossScaleOptimizer(std::shared_ptr<Optimizer> inner_optimizer,
                              const LossScaleOptions& config = {});

  // loss * loss_scale(), in float32 at least; differentiable.
  Tensor ScaleLoss(const Tensor& loss) const override;
  // The scale of the next step.
  double loss_scale() const override;

  const Optimizer* inner_optimizer() const override { return inner_.get(); }

  // Those of the inner optimizer.
  int64_t iterations() const override { return inner_->iterations(); }
  double learning_rate() const override { return inner_->learning_rate(); }
  void SetLearningRate(double learning_rate) override {
    inner_->SetLearningRate(learning_rate);
  }
  VariablePtr Slot(const Variable& variable,
                   std::string_view kind) const override {
    return inner_->Slot(variable, kind);
  }
  void FinalizeVariableValues(
      const std::vector<VariablePtr>& variables) const override {
    inner_->FinalizeVariableValues(variables);
  }
  void ExcludeFromWeightDecay(WeightDecayExclusions exclusions) override {
    inner_->ExcludeFromWeightDecay(std::move(exclusions));
  }
  ObjectConfig Config() const override;
  // Those of this optimizer, then those of the inner one.
  std::vector<VariablePtr> variables() const override;

  // The stages of the inner optimizer, plus those that unscale, decide and
  // update the scale.
  OptimizerPipeline Stages() override;

 protected:
  void MakeSlots(const std::vector<VariablePtr>& variables) override;

 private:
  void Unscale(std::vector<Tensor>& gradients) const;
  void UpdateLossScale(const Tensor& finite);

  std::shared_ptr<Optimizer> inner_;
  LossScaleOptions config_;
  VariablePtr step_counter_;
  VariablePtr dynamic_scale_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_OPTIMIZERS_LOSS_SCALE_OPTIMIZER_H_
