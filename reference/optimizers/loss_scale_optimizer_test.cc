#include "reference/optimizers/loss_scale_optimizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error_testing.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

VariablePtr MakeFloat(float value) {
  return MakeVariable(
      {.initial_value = [value] { return Tensor::Scalar(value); },
       .name = "v"});
}

std::shared_ptr<Sgd> UnitSgd() {
  return std::make_shared<Sgd>(SgdOptions{.learning_rate = 1.0});
}

TEST(LossScaleOptimizerTest, ScalesTheLossAndUnscalesTheGradient) {
  const VariablePtr v = MakeFloat(3);
  LossScaleOptimizer optimizer(UnitSgd());
  EXPECT_EQ(optimizer.loss_scale(), 32768);
  GradientTape tape;
  const Tensor loss = optimizer.ScaleLoss(ops::Scale(v->Read(), 0.5));
  EXPECT_EQ(loss.item<float>(), 1.5f * 32768);
  const auto gradients = tape.Gradient(loss, std::vector<VariablePtr>{v});
  EXPECT_EQ(gradients[0]->item<float>(), 16384);
  optimizer.ApplyGradients({{gradients[0], v}});
  EXPECT_EQ(v->Read().item<float>(), 2.5f);
  EXPECT_EQ(optimizer.iterations(), 1);
  EXPECT_EQ(optimizer.loss_scale(), 32768);
}

TEST(LossScaleOptimizerTest, ScaleExistsBeforeTheFirstStep) {
  LossScaleOptimizer optimizer(UnitSgd());
  const std::vector<VariablePtr> variables = optimizer.variables();
  const auto scale =
      std::ranges::find(variables, "loss_scale_optimizer/dynamic_scale",
                        [](const VariablePtr& v) { return v->name(); });
  ASSERT_NE(scale, variables.end());
  (*scale)->Assign(Tensor::Scalar(4.0f));  // as a restore does
  EXPECT_EQ(optimizer.loss_scale(), 4);
  const VariablePtr v = MakeFloat(3);
  GradientTape tape;
  const Tensor loss = optimizer.ScaleLoss(ops::Scale(v->Read(), 0.5));
  EXPECT_EQ(loss.item<float>(), 6);
  const auto gradients = tape.Gradient(loss, std::vector<VariablePtr>{v});
  optimizer.ApplyGradients({{gradients[0], v}});
  EXPECT_EQ(v->Read().item<float>(), 2.5f);
}

TEST(LossScaleOptimizerTest, SkipsNonFiniteSteps) {
  const VariablePtr v = MakeFloat(3), w = MakeFloat(5);
  LossScaleOptimizer optimizer(std::make_shared<Adam>(), {.initial_scale = 2});
  double scale = 2;
  for (const float bad : {kInfinity, -kInfinity, kInfinity - kInfinity}) {
    optimizer.ApplyGradients(
        {{Tensor::Scalar(1.0f), v}, {Tensor::Scalar(bad), w}});
    EXPECT_EQ(optimizer.loss_scale(), scale /= 2);
    EXPECT_EQ(v->Read().item<float>(), 3);
    EXPECT_EQ(w->Read().item<float>(), 5);
    EXPECT_EQ(optimizer.Slot(*v, "momentum")->Read().item<float>(), 0);
    EXPECT_EQ(optimizer.iterations(), 0);
  }
}

TEST(LossScaleOptimizerTest, SkippedStepKeepsOptimizerState) {
  const OptimizerOptions decayed{.name = "decayed", .weight_decay = 0.5};
  for (const std::shared_ptr<Optimizer>& inner :
       std::vector<std::shared_ptr<Optimizer>>{
           std::make_shared<Sgd>(
               SgdOptions{.momentum = 0.5, .options = decayed}),
           std::make_shared<Adagrad>(AdagradOptions{.options = decayed}),
           std::make_shared<RmsProp>(RmsPropOptions{.options = decayed}),
           std::make_shared<Adam>(AdamOptions{.options = decayed})}) {
    const VariablePtr v = MakeFloat(3);
    LossScaleOptimizer optimizer(inner);
    optimizer.ApplyGradients({{Tensor::Scalar(1.0f), v}});
    std::vector<VariablePtr> state = inner->variables();
    state.push_back(v);
    std::vector<Tensor> before;
    for (const VariablePtr& part : state) before.push_back(part->Read());
    optimizer.ApplyGradients({{Tensor::Scalar(kInfinity), v}});
    for (size_t i = 0; i < state.size(); ++i) {
      EXPECT_TRUE(BitwiseEqual(state[i]->Read(), before[i]))
          << state[i]->name();
    }
  }
}

TEST(LossScaleOptimizerTest, DoublesTheScaleAfterFiniteSteps) {
  const VariablePtr v = MakeFloat(0);
  LossScaleOptimizer optimizer(UnitSgd(),
                               {.initial_scale = 8, .dynamic_growth_steps = 2});
  const auto step = [&](float gradient) {
    optimizer.ApplyGradients({{Tensor::Scalar(gradient), v}});
    return optimizer.loss_scale();
  };
  EXPECT_EQ(step(8), 8);
  EXPECT_EQ(step(8), 16);
  EXPECT_EQ(v->Read().item<float>(), -2);
  EXPECT_EQ(step(16), 16);
  EXPECT_EQ(step(kInfinity), 8);  // counting restarts
  EXPECT_EQ(step(8), 8);
  EXPECT_EQ(step(8), 16);
  EXPECT_EQ(v->Read().item<float>(), -5);
}

TEST(LossScaleOptimizerTest, ScaleStaysFinite) {
  const VariablePtr v = MakeFloat(0);
  const double largest_power = std::ldexp(1, 127);
  LossScaleOptimizer optimizer(
      UnitSgd(), {.initial_scale = largest_power, .dynamic_growth_steps = 1});
  optimizer.ApplyGradients({{Tensor::Scalar(1.0f), v}});
  EXPECT_EQ(optimizer.loss_scale(), largest_power);
}

TEST(LossScaleOptimizerTest, ScalesNarrowLossesInFloat32) {
  LossScaleOptimizer optimizer(UnitSgd());
  const Tensor loss = Tensor::Scalar(4.0f).Cast(DType::kFloat16);
  EXPECT_EQ(optimizer.ScaleLoss(loss).item<float>(), 131072);
}

TEST(LossScaleOptimizerTest, ForwardsToTheInnerOptimizer) {
  const VariablePtr v = MakeFloat(0);
  const auto adam = std::make_shared<Adam>();
  LossScaleOptimizer optimizer(adam);
  optimizer.SetLearningRate(0.25);
  EXPECT_EQ(adam->learning_rate(), 0.25);
  EXPECT_EQ(optimizer.learning_rate(), 0.25);
  optimizer.Build({v});
  // iteration, rate, counter, scale; iteration, rate, two of Adam.
  EXPECT_EQ(optimizer.variables().size(), 8u);
  EXPECT_EQ(optimizer.variables()[2]->name(),
            "loss_scale_optimizer/step_counter");
}

TEST(LossScaleOptimizerTest, RefusesInvalidArguments) {
  EXPECT_EQ(CodeOf([] { LossScaleOptimizer optimizer(nullptr); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] {
              LossScaleOptimizer optimizer(
                  std::make_shared<LossScaleOptimizer>(UnitSgd()));
            }),
            Code::kInvalidArgument);
  for (const double scale : {0.0, -1.0, double{kInfinity}, std::nan("")}) {
    EXPECT_EQ(CodeOf([&] {
                LossScaleOptimizer optimizer(UnitSgd(),
                                             {.initial_scale = scale});
              }),
              Code::kInvalidArgument);
  }
  EXPECT_EQ(CodeOf([] {
              LossScaleOptimizer optimizer(UnitSgd(),
                                           {.dynamic_growth_steps = 0});
            }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
