// Loss scaling on N replicas: they skip a step together, and their scales and
// variables never differ.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "reference/base/error.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/sgd.h"
#include "reference/training/mirrored_testing.h"

namespace lockstep {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A variable that starts at 1, with a scale of 8 at first, doubled after two
// finite steps.
class Training {
 public:
  explicit Training(int replicas) : strategy_(MakeStrategy(replicas)) {
    const auto scope = strategy_->Scope();
    v_ = MakeVariable(
        {.initial_value = [] { return Tensor::Scalar(1.0f); }, .name = "v"});
    optimizer_ = std::make_unique<LossScaleOptimizer>(
        std::make_shared<Sgd>(SgdConfig{.learning_rate = 1.0}),
        LossScaleConfig{.initial_scale = 8, .dynamic_growth_steps = 2});
  }

  // The variable and the scale after a step in which replica i has the
  // gradient gradients[i].
  std::pair<float, double> Step(const std::vector<float>& gradients) {
    std::vector<Tensor> tensors;
    for (const float g : gradients) tensors.push_back(Tensor::Scalar(g));
    const PerReplica<Tensor> scaled = strategy_->Run(
        [&](const Tensor& gradient) {
          optimizer_->ApplyGradients({{gradient, v_}});
          return optimizer_->ScaleLoss(Tensor::Scalar(1.0f));
        },
        PerReplica<Tensor>(tensors));
    for (const Tensor& own : scaled) {
      EXPECT_EQ(own.item<float>(), optimizer_->loss_scale());
    }
    return {CommonValue(*strategy_, v_).item<float>(),
            optimizer_->loss_scale()};
  }

  int64_t iterations() const { return optimizer_->iterations(); }

 private:
  std::unique_ptr<MirroredStrategy> strategy_;
  VariablePtr v_;
  std::unique_ptr<LossScaleOptimizer> optimizer_;
};

using Result = std::pair<float, double>;

TEST(MirroredLossScaleTest, SumsUnscaledGradients) {
  Training training(3);
  EXPECT_EQ(training.Step({8, 16, 24}), Result(-5, 8));
  EXPECT_EQ(training.Step({8, 0, 0}), Result(-6, 16));
  EXPECT_EQ(training.iterations(), 2);
}

TEST(MirroredLossScaleTest, OneReplicasInfinityOrNanSkipsAll) {
  for (int bad = 0; bad < 3; ++bad) {
    for (const float value : {kInfinity, -kInfinity, kNan}) {
      Training training(3);
      std::vector<float> gradients = {8, 8, 8};
      gradients[bad] = value;
      EXPECT_EQ(training.Step(gradients), Result(1, 4)) << bad;
      EXPECT_EQ(training.iterations(), 0);
      EXPECT_EQ(training.Step({4, 4, 4}), Result(-2, 4));
    }
  }
}

TEST(MirroredLossScaleTest, OppositeInfinitiesDoNotCancel) {
  Training training(2);
  EXPECT_EQ(training.Step({kInfinity, -kInfinity}), Result(1, 4));
}

TEST(MirroredLossScaleTest, ScaledGradientsMayAddUpToMoreThanAFloat) {
  Training training(2);
  const float large = 0x1p127f;
  EXPECT_EQ(training.Step({large, large}), Result(-0x1p125f, 8));
}

TEST(MirroredLossScaleTest, AnInnerOptimizerMadeOutsideTheScopeIsRefused) {
  const auto strategy = MakeStrategy(2);
  const auto inner = std::make_shared<Sgd>(SgdConfig{.learning_rate = 1.0});
  const auto scope = strategy->Scope();
  const VariablePtr v = MakeVariable(
      {.initial_value = [] { return Tensor::Scalar(1.0f); }, .name = "v"});
  LossScaleOptimizer optimizer(inner);
  try {
    strategy->Run([&] {
      optimizer.ApplyGradients({{Tensor::Scalar(1.0f), v}});
    });
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kFailedPrecondition);
  }
}

}  // namespace
}  // namespace lockstep
