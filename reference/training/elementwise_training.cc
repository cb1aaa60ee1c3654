#include "reference/training/elementwise_training.h"

#include <utility>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/optimizers/learning_rate_schedule.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep {
namespace {

VariablePtr MakeWeights(const std::string& name,
                        const std::vector<float>& values) {
  return MakeVariable(
      {.initial_value =
           [&] { return Tensor::FromVector(values).Clone(Device::Current()); },
       .name = name});
}

OptimizerOptions Limited(const std::string& name) {
  return {.name = name,
          .weight_decay = 0.01,
          .clipnorm = 0.5,
          .global_clipnorm = 0.6,
          .clipvalue = 0.4};
}

std::vector<OptimizerCase> PlainCases() {
  return {
      {"sgd", [] { return std::make_shared<Sgd>(); }},
      {"momentum",
       [] { return std::make_shared<Sgd>(SgdOptions{.momentum = 0.9}); }},
      {"nesterov",
       [] {
         return std::make_shared<Sgd>(
             SgdOptions{.momentum = 0.9, .nesterov = true});
       }},
      {"adam", [] { return std::make_shared<Adam>(); }},
      {"adagrad", [] { return std::make_shared<Adagrad>(); }},
      {"rms_prop", [] { return std::make_shared<RmsProp>(); }},
  };
}

std::shared_ptr<Optimizer> LimitedAdam() {
  return std::make_shared<Adam>(AdamOptions{
      .learning_rate = std::make_shared<PiecewiseConstantDecay>(
          std::vector<int64_t>{1, 3}, std::vector<double>{0.1, 0.02, 0.003}),
      .options = Limited("adam")});
}

std::vector<OptimizerCase> CasesWithLimits() {
  return {
      {"limited_adam_with_steps_of_rates", &LimitedAdam},
      {"limited_rms_prop_with_a_decaying_rate",
       [] {
         return std::make_shared<RmsProp>(RmsPropOptions{
             .learning_rate = std::make_shared<ExponentialDecay>(0.1, 2, 0.5),
             .options = Limited("rms_prop")});
       }},
      {"decayed_sgd",
       [] {
         return std::make_shared<Sgd>(
             SgdOptions{.options = {.name = "sgd", .weight_decay = 0.004}});
       }},
  };
}

std::shared_ptr<Optimizer> Scaled(std::shared_ptr<Optimizer> inner) {
  return std::make_shared<LossScaleOptimizer>(
      std::move(inner), LossScaleOptions{.dynamic_growth_steps = 2});
}

}  // namespace

StepInput MakeStepInput(Device& device, int step, float loss_factor) {
  std::vector<float> x, targets;
  std::vector<int64_t> labels;
  for (int i = 0; i < 16; ++i) {
    x.push_back(static_cast<float>((i * 7 + step * 3) % 11 - 5) / 8);
    targets.push_back(static_cast<float>((i * 5 + step) % 7 - 3) / 4);
    if (i < 8) labels.push_back((i + step) % 2);
  }
  return {Tensor::FromVector(x, Shape{8, 2}, device),
          Tensor::FromVector(targets, Shape{8, 2}, device),
          Tensor::FromVector(labels, Shape{8}, device),
          Tensor::Scalar(loss_factor, device)};
}

ElementwiseTraining::ElementwiseTraining(std::shared_ptr<Optimizer> optimizer)
    : w_(MakeWeights("w", {0.5f, -1.25f})),
      b_(MakeWeights("b", {0.1f, 0.3f})),
      optimizer_(std::move(optimizer)) {}

void ElementwiseTraining::Step(const StepInput& input) {
  GradientTape tape;
  const Tensor y = ops::Add(ops::Multiply(input.x, w_->Read()), b_->Read());
  const Tensor errors = ops::Square(ops::Subtract(y, input.targets));
  const Tensor loss = ops::Multiply(ops::ReduceMean(errors), input.loss_factor);
  const std::vector<VariablePtr> variables = {w_, b_};
  const auto gradients = tape.Gradient(optimizer_->ScaleLoss(loss), variables);
  optimizer_->ApplyGradients({{gradients[0], w_}, {gradients[1], b_}});
  loss_.UpdateState(errors);
  sum_.UpdateState(errors, input.labels);
  error_.UpdateState(input.targets, y);
  accuracy_.UpdateState(input.labels, y);
  precision_.UpdateState(input.labels, y.Reshape(Shape{2, 8}).Row(0));
}

std::vector<VariablePtr> ElementwiseTraining::state() const {
  std::vector<VariablePtr> all = {w_, b_};
  for (const std::vector<VariablePtr>& some :
       {optimizer_->variables(), loss_.variables(), sum_.variables(),
        error_.variables(), accuracy_.variables(), precision_.variables()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::vector<OptimizerCase> AllOptimizerCases() {
  std::vector<OptimizerCase> all = PlainCases();
  for (const OptimizerCase& limited : CasesWithLimits()) all.push_back(limited);
  const std::vector<OptimizerCase> unscaled = all;
  for (const OptimizerCase& inner : unscaled) {
    all.push_back({"scaled_" + inner.name,
                   [inner] { return Scaled(inner.make()); }, true});
  }
  return all;
}

}  // namespace lockstep
