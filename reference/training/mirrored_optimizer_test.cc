// Optimizers on N replicas sum gradients, and count each step once.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "reference/base/error.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/optimizers/learning_rate_schedule.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"
#include "reference/training/small_training.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

PerReplica<Tensor> Scalars(const Floats& values) {
  std::vector<Tensor> tensors;
  for (const float value : values) tensors.push_back(Tensor::Scalar(value));
  return PerReplica<Tensor>(tensors);
}

VariablePtr MakeScalar(float value) {
  return MakeVariable(
      {.initial_value = [=] { return Tensor::Scalar(value); }, .name = "v"});
}

// The values of a variable that starts at 1 after each of `steps` steps in
// which replica i has the gradient gradients[i].
template <typename Optimizer>
Floats Trajectory(const std::function<std::unique_ptr<Optimizer>()>& make,
                  const Floats& gradients, int steps) {
  const auto strategy = MakeStrategy(static_cast<int>(gradients.size()));
  const auto scope = strategy->Scope();
  const VariablePtr v = MakeScalar(1);
  const std::unique_ptr<Optimizer> optimizer = make();
  Floats values;
  for (int step = 1; step <= steps; ++step) {
    strategy->Run(
        [&](const Tensor& gradient) {
          optimizer->ApplyGradients({{gradient, v}});
        },
        Scalars(gradients));
    values.push_back(CommonValue(*strategy, v).item<float>());
    EXPECT_EQ(optimizer->iterations(), step);
  }
  return values;
}

void ExpectNear(const Floats& got, const std::vector<double>& expected,
                double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], tolerance) << i;
  }
}

// Expectations below were printed to 7 digits by Keras 3.15 on TensorFlow 2.21
// under MirroredStrategy; half a unit of the last digit, and two roundings.
constexpr double kPrinted = 2e-7;

TEST(MirroredOptimizerTest, SgdSumsGradients) {
  const auto sgd = [](double rate) {
    return [rate] {
      return std::make_unique<Sgd>(SgdOptions{.learning_rate = rate});
    };
  };
  ExpectNear(Trajectory<Sgd>(sgd(0.1), {1, 2}, 1), {0.7}, kPrinted);
  EXPECT_EQ(Trajectory<Sgd>(sgd(0.5), {1, 2, 4}, 1), Floats{-2.5});
}

TEST(MirroredOptimizerTest, SgdWithMomentum) {
  const auto sgd = [](bool nesterov) {
    return [nesterov] {
      return std::make_unique<Sgd>(SgdOptions{
          .learning_rate = 0.1, .momentum = 0.9, .nesterov = nesterov});
    };
  };
  ExpectNear(Trajectory<Sgd>(sgd(false), {1, 2}, 3), {0.7, 0.13, -0.683},
             kPrinted);
  ExpectNear(Trajectory<Sgd>(sgd(true), {1, 2}, 3), {0.43, -0.383, -1.4147},
             kPrinted);
}

TEST(MirroredOptimizerTest, AdamSumsBeforeItSquares) {
  const auto adam = [] {
    return std::make_unique<Adam>(AdamOptions{.learning_rate = 0.1});
  };
  ExpectNear(Trajectory<Adam>(adam, {0.5, 0.25}, 3),
             {0.9000011, 0.8000024, 0.7000030}, kPrinted);
  ExpectNear(Trajectory<Adam>(adam, {1, -3}, 3),
             {1.0999992, 1.1999980, 1.2999976}, kPrinted);
}

TEST(MirroredOptimizerTest, RmsPropAndAdagrad) {
  const auto rms_prop = [] {
    return std::make_unique<RmsProp>(RmsPropOptions{.learning_rate = 0.1});
  };
  ExpectNear(Trajectory<RmsProp>(rms_prop, {1, 2}, 2), {0.683772, 0.454357},
             1e-6);
  const auto adagrad = [] {
    return std::make_unique<Adagrad>(AdagradOptions{.learning_rate = 0.1});
  };
  ExpectNear(Trajectory<Adagrad>(adagrad, {1, 2}, 2), {0.900551, 0.830036},
             1e-6);
}

TEST(MirroredOptimizerTest, SchedulesCountSteps) {
  const auto piecewise = [] {
    return std::make_unique<Sgd>(
        SgdOptions{.learning_rate = std::make_shared<PiecewiseConstantDecay>(
                       std::vector<int64_t>{1}, std::vector<double>{1, 0.5})});
  };
  EXPECT_EQ(Trajectory<Sgd>(piecewise, {0.5, 0.5}, 3), (Floats{0, -1, -1.5}));
  const auto exponential = [] {
    return std::make_unique<Sgd>(SgdOptions{
        .learning_rate = std::make_shared<ExponentialDecay>(1, 1, 0.5)});
  };
  EXPECT_EQ(Trajectory<Sgd>(exponential, {0.5, 0.5}, 3),
            (Floats{0, -0.5, -0.75}));
}

TEST(MirroredOptimizerTest, ClippingSeesTheSum) {
  // Each gradient alone has norm 3 and would become 1: 1 - (1 + 1) = -1.
  const auto clipping = [] {
    return std::make_unique<Sgd>(SgdOptions{
        .learning_rate = 1.0, .options = {.name = "sgd", .clipnorm = 1.0}});
  };
  EXPECT_EQ(Trajectory<Sgd>(clipping, {3, 4}, 1), Floats{0});
}

TEST(MirroredOptimizerTest, VariablesOutsideTheScopeAreRefused) {
  const auto strategy = MakeStrategy(2);
  const VariablePtr outside = MakeScalar(1);
  const auto scope = strategy->Scope();
  Sgd optimizer;
  try {
    strategy->Run([&] {
      optimizer.ApplyGradients({{Tensor::Scalar(1.0f), outside}});
    });
    FAIL() << "two replicas trained one copy";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kFailedPrecondition);
  }
  EXPECT_EQ(outside->Read().item<float>(), 1);
}

TEST(MirroredOptimizerTest, AppliesGradientsOnlyInsideRun) {
  const auto strategy = MakeStrategy(2);
  const auto scope = strategy->Scope();
  const VariablePtr v = MakeScalar(1);
  Sgd optimizer;
  try {
    optimizer.ApplyGradients({{Tensor::Scalar(1.0f), v}});
    FAIL() << "applied in cross-replica context";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kFailedPrecondition);
  }
}

}  // namespace

// With loss scaling, N replicas skip the same steps, and their scales and variables
// stay equal.

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A variable of 1, and a loss scale of 8 that doubles after two finite steps.
class Training {
 public:
  explicit Training(int replicas) : strategy_(MakeStrategy(replicas)) {
    const auto scope = strategy_->Scope();
    v_ = MakeVariable(
        {.initial_value = [] { return Tensor::Scalar(1.0f); }, .name = "v"});
    optimizer_ = std::make_unique<LossScaleOptimizer>(
        std::make_shared<Sgd>(SgdOptions{.learning_rate = 1.0}),
        LossScaleOptions{.initial_scale = 8, .dynamic_growth_steps = 2});
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

TEST(MirroredLossScaleTest, InfinityOrNanOnOneReplicaSkipsAll) {
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

TEST(MirroredLossScaleTest, SumOfScaledGradientsMayOverflow) {
  Training training(2);
  const float large = 0x1p127f;
  EXPECT_EQ(training.Step({large, large}), Result(-0x1p125f, 8));
}

TEST(MirroredLossScaleTest, InnerOptimizerOutsideTheScope) {
  const auto strategy = MakeStrategy(2);
  const auto inner = std::make_shared<Sgd>(SgdOptions{.learning_rate = 1.0});
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
