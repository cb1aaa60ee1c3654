#include "reference/lockstep.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep {
namespace {

// The README's program in small: a line fitted by two replicas.
TEST(LockstepTest, OneHeaderTrainsUnderAStrategy) {
  SetLogicalCpuDevices(2);
  MirroredStrategy strategy({"CPU:0", "CPU:1"});
  const StrategyScope scope = strategy.Scope();
  VariablePtr w =
      MakeVariable({.initial_value = [] { return Tensor::Scalar(1.0f); }});
  Sgd optimizer({.learning_rate = 0.125});
  const DistributedDataset inputs = DistributeDataset(
      strategy.topology(), strategy.devices(),
      Dataset::FromTensorSlices(Tensor::FromVector<float>({1, 3})).Batch(2));
  for (const PerReplica<Structure>& batch : inputs) {
    strategy.Run(
        [&](const Structure& x) {
          // d/dw of w * x is x; the replicas' gradients 1 and 3 are summed.
          optimizer.ApplyGradients({{x.leaf().Reshape(Shape{}), w}});
        },
        batch);
  }
  EXPECT_EQ(w->Read().item<float>(), 0.5f);
  CheckReplicasEqual(*w);
}

// docs/api.md quotes it.
TEST(LockstepTest, OneHeaderHasFunctionalModels) {
  const Tensor a = Tensor::Zeros(Shape{2, 4}), b = Tensor::Zeros(Shape{2, 3});
  const SymbolicTensor x = Input({4}), y = Input({3});
  const SymbolicTensor hidden = Dense(8)(x);
  const SymbolicTensor sum = Add()({hidden, Dense(8)(hidden)});
  const SymbolicTensor both = Concatenate()({ReLU()(sum), y});
  const Model model({x, y}, {both, Dense(1)(both)});
  const Structure results = model({a, b});
  EXPECT_EQ(results[0].leaf().ToVector<float>(), std::vector<float>(22, 0));
  EXPECT_EQ(results[1].leaf().shape(), (Shape{2, 1}));
}

// The loss is w, so its gradient is 1.
void TrainStep(const Sequential& model, Optimizer& optimizer) {
  GradientTape tape;
  const Tensor loss = ops::ReduceSum(model(Tensor::Full(Shape{1, 1}, 1.0f)));
  const auto variables = model.trainable_variables();
  optimizer.ApplyGradients(Zip(tape.Gradient(loss, variables), variables));
}

// A run of a program of one step, which returns w. docs/api.md quotes it.
float RunOnce(const std::string& folder) {
  const Sequential model(
      {Dense(1, {.use_bias = false,
                 .kernel_initializer = initializers::Constant(4)})});
  Sgd optimizer({.learning_rate = 1});
  Checkpoint checkpoint(
      {{"model", model.trackable()}, {"optimizer", &optimizer}});
  // Of an earlier run, if there was one. Weights that do not exist yet are
  // restored when they are made: at the first call, at the first step.
  checkpoint.Restore(LatestCheckpoint(folder));
  TrainStep(model, optimizer);
  checkpoint.Save(folder + "/ckpt");
  return model.variables()[0]->Read().item<float>();
}

TEST(LockstepTest, OneHeaderHasCheckpoints) {
  const std::string folder = testing::TempDir() + "/one_header";
  std::filesystem::remove_all(folder);
  EXPECT_EQ(RunOnce(folder), 3);
  EXPECT_EQ(RunOnce(folder), 2);
  EXPECT_EQ(RunOnce(folder), 1);
}

}  // namespace
}  // namespace lockstep
