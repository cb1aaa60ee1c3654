// Steps with optimizers, loss scaling and metrics that run as graphs give the same
// bits as eager steps.
#include <gtest/gtest.h>

#include <limits>

#include "reference/device/gpu_testing.h"
#include "reference/distribute/step_graph/step_graph.h"
#include "reference/training/elementwise_training.h"

namespace lockstep {
namespace {

constexpr int kSteps = 6;
constexpr int kSpoiled = 3;  // of the steps, where the optimizer skips it

PerReplica<Structure> BatchOf(const StepInput& input) {
  return PerReplica<Structure>({Structure::Tuple(
      {input.x, input.targets, input.labels, input.loss_factor})});
}

StepInput InputOf(const Structure& batch) {
  return {batch[0].leaf(), batch[1].leaf(), batch[2].leaf(), batch[3].leaf()};
}

class GraphedTrainingTest : public GpuTest {
 protected:
  void Compare(const OptimizerCase& test) {
    DeviceScope on_gpu(gpu());
    ElementwiseTraining eager(test.make()), graphed(test.make());
    StepGraph graph(GetStrategy(), [&](const Structure& batch) {
      graphed.Step(InputOf(batch));
    });
    for (int step = 0; step < kSteps; ++step) {
      SCOPED_TRACE(step);
      const bool spoiled = test.skips && step == kSpoiled;
      const StepInput input = MakeStepInput(
          gpu(), step, spoiled ? std::numeric_limits<float>::infinity() : 1);
      eager.Step(input);
      graph.Run(BatchOf(input));
      ExpectSameState(graphed, eager);
    }
    EXPECT_EQ(graph.statistics().captures, 1);
    EXPECT_EQ(graph.statistics().launches, kSteps - 1);
  }

  static void ExpectSameState(const ElementwiseTraining& got,
                              const ElementwiseTraining& wanted) {
    for (size_t i = 0; i < wanted.state().size(); ++i) {
      EXPECT_TRUE(
          BitwiseEqual(got.state()[i]->Read(), wanted.state()[i]->Read()))
          << wanted.state()[i]->name();
    }
  }
};

TEST_F(GraphedTrainingTest, SameBitsAsEagerSteps) {
  for (const OptimizerCase& test : AllOptimizerCases()) {
    SCOPED_TRACE(test.name);
    Compare(test);
  }
}

}  // namespace
}  // namespace lockstep
