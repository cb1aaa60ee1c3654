#include "reference/distribute/training_step/training_step.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/autodiff/ops/math_ops.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep {
namespace {

constexpr double kRate = 0.125;

std::shared_ptr<Optimizer> MakeSgd() {
  return std::make_shared<Sgd>(SgdOptions{.learning_rate = kRate});
}

// The sum of w * x over the examples. Its gradient is the sum of x, which is
// exact in any order.
class Slope {
 public:
  explicit Slope(Strategy& strategy)
      : strategy_(strategy), w_({MakeIn(strategy, 0)}) {}

  void Step(TrainingStep& step, const std::vector<Tensor>& parts,
            double examples = 1) {
    {
      const StrategyScope scope = strategy_.Scope();
      step.Build(w_);
      step.BeginBatch();
    }
    strategy_.Run(
        [&](const Tensor& x) {
          step.OnReplica([&] {
            return ForwardPass{
                .loss = ops::ReduceSum(ops::Multiply(x, w_[0]->Read())),
                .weights = w_,
                .examples = Tensor::Scalar(static_cast<float>(examples))};
          });
        },
        Tensors(parts));
  }

  const std::vector<VariablePtr>& weights() const { return w_; }
  float w() const {
    const StrategyScope scope = strategy_.Scope();
    return w_[0]->Read().item<float>();
  }

 private:
  Strategy& strategy_;
  std::vector<VariablePtr> w_;
};

template <typename Make>
auto InScope(Strategy& strategy, const Make& make) {
  const StrategyScope scope = strategy.Scope();
  return make();
}

// The parts of 1, 2, 3, 4 for this number of replicas, the last ones possibly
// empty.
std::vector<Tensor> PartsOfFour(int replicas) {
  std::vector<Tensor> parts;
  const int rows = (4 + replicas - 1) / replicas;
  for (int r = 0; r < replicas; ++r) {
    std::vector<float> part;
    for (int i = r * rows; i < std::min(4, (r + 1) * rows); ++i) {
      part.push_back(static_cast<float>(i + 1));
    }
    parts.push_back(Row(part));
  }
  return parts;
}

TEST(TrainingStepTest, ReplicasLearnAsOne) {
  for (const int replicas : {1, 2, 3, 4, 5}) {
    const auto strategy = MakeStrategy(replicas);
    Slope slope(*strategy);
    TrainingStep step(InScope(*strategy, MakeSgd));
    slope.Step(step, PartsOfFour(replicas));
    slope.Step(step, PartsOfFour(replicas));
    EXPECT_EQ(slope.w(), -2 * kRate * 10) << replicas << " replicas";
    EXPECT_EQ(step.optimizer().iterations(), 2);
  }
}

TEST(TrainingStepTest, ListenerObservesPhasesInOrder) {
  const auto strategy = MakeStrategy(1);
  Slope slope(*strategy);
  std::vector<StepPhase> heard;
  const TrainingStepOptions options{
      .accumulation_steps = 2,
      .listener = [&](StepPhase phase) { heard.push_back(phase); }};
  TrainingStep step(InScope(*strategy, MakeSgd), options);
  slope.Step(step, {Row({1})});
  EXPECT_EQ(heard, (std::vector{StepPhase::kForward, StepPhase::kBackward,
                                StepPhase::kMeasure}));
  heard.clear();
  slope.Step(step, {Row({1})});
  EXPECT_EQ(heard, (std::vector{StepPhase::kForward, StepPhase::kBackward,
                                StepPhase::kSum, StepPhase::kUpdate,
                                StepPhase::kMeasure}));
}

TEST(TrainingStepTest, MeasuresAfterTheUpdate) {
  const auto strategy = MakeStrategy(1);
  const VariablePtr w = MakeIn(*strategy, 1);
  TrainingStep step(InScope(*strategy, MakeSgd));
  float measured = 0;
  strategy->Run([&] {
    step.OnReplica([&] {
      return ForwardPass{.loss = w->Read(), .weights = {w}, .measure = [&] {
                           measured = w->Read().item<float>();
                         }};
    });
  });
  EXPECT_EQ(measured, 1 - kRate);
}

// Batches of 4 and 2 examples whose mean gradients are 1 and 4: (4 + 8) / 6.
TEST(TrainingStepTest, WindowEqualsOneLargeBatch) {
  const auto strategy = MakeStrategy(2);
  Slope slope(*strategy);
  TrainingStep step(InScope(*strategy, MakeSgd), {.accumulation_steps = 2});
  slope.Step(step, {Row({0.5}), Row({0.5})}, 4);
  EXPECT_EQ(slope.w(), 0);
  EXPECT_EQ(step.optimizer().iterations(), 0);
  slope.Step(step, {Row({1}), Row({3})}, 2);
  EXPECT_EQ(slope.w(), -kRate * 2);
  EXPECT_EQ(step.optimizer().iterations(), 1);
}

TEST(TrainingStepTest, WindowGradientsAreUnscaled) {
  const auto strategy = MakeStrategy(2);
  Slope slope(*strategy);
  TrainingStep step(
      InScope(*strategy,
              [] { return std::make_shared<LossScaleOptimizer>(MakeSgd()); }),
      {.accumulation_steps = 2});
  slope.Step(step, {Row({0.5}), Row({0.5})}, 4);
  const StrategyScope scope = strategy->Scope();
  const Gradients gradients = step.WindowGradients(slope.weights());
  ASSERT_TRUE(gradients[0].has_value());
  EXPECT_EQ(gradients[0]->item<float>(), 1);
}

TEST(TrainingStepTest, ReplicasSkipStepsTogether) {
  const auto strategy = MakeStrategy(2);
  Slope slope(*strategy);
  TrainingStep step(InScope(*strategy, [] {
    return std::make_shared<LossScaleOptimizer>(MakeSgd());
  }));
  slope.Step(step, {Row({1}), Row({INFINITY})});
  EXPECT_EQ(slope.w(), 0);
  EXPECT_EQ(step.optimizer().iterations(), 0);
  EXPECT_EQ(InScope(*strategy, [&] { return step.optimizer().loss_scale(); }),
            16384);
  slope.Step(step, {Row({1}), Row({2})});
  EXPECT_EQ(slope.w(), -kRate * 3);
}

TEST(TrainingStepTest, RefusesWindowsWithoutBatch) {
  const auto strategy = MakeStrategy(1);
  EXPECT_EQ(CodeOf([&] {
              TrainingStep(InScope(*strategy, MakeSgd),
                           {.accumulation_steps = 0});
            }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
