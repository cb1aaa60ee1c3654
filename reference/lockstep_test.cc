#include "reference/lockstep.h"

#include <gtest/gtest.h>

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
      strategy.devices(),
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

}  // namespace
}  // namespace lockstep
