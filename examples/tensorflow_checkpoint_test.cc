// A checkpoint that TensorFlow 2.21 wrote in the middle of training goes on
// here with the losses that TensorFlow had (testdata/README.md).
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "examples/exact_training.h"
#include "reference/base/json.h"
#include "reference/lockstep.h"

namespace lockstep::examples {
namespace {

const std::string kFolder =  // NOLINT: lives as long as the program
    "examples/testdata/tensorflow_small_cnn";

// The document's model with fewer filters and units.
std::unique_ptr<Sequential> CreateSmallModel() {
  constexpr Activation kRelu = Activation::kRelu;
  return std::make_unique<Sequential>(std::vector<LayerPtr>{
      std::make_shared<Conv2D>(4, 3, Conv2DOptions{.activation = kRelu}),
      std::make_shared<MaxPooling2D>(),
      std::make_shared<Conv2D>(8, 3, Conv2DOptions{.activation = kRelu}),
      std::make_shared<MaxPooling2D>(),
      std::make_shared<Flatten>(),
      std::make_shared<Dense>(16, DenseOptions{.activation = kRelu}),
      std::make_shared<Dense>(10),
  });
}

void ExpectTheSameLosses(Strategy& strategy) {
  const Json theirs = ReadJsonFile(kFolder + "/losses.json");
  const auto expected = theirs["next_losses"].get<std::vector<float>>();
  ASSERT_EQ(expected.size(), 3u);

  ExactTraining training(strategy, CreateSmallModel);
  training.checkpoint().Restore(LatestCheckpoint(kFolder)).AssertConsumed();
  EXPECT_EQ(training.optimizer().iterations(), 10);
  const std::vector<float> losses = training.Train(3);
  for (size_t i = 0; i < losses.size(); ++i) {
    // Losses of about 2: some units of float32 for sums in another order.
    EXPECT_NEAR(losses[i], expected[i], 1e-6)
        << strategy.num_replicas_in_sync() << " replicas, step " << i;
  }
}

TEST(TensorFlowCheckpointTest, GoesOnWithoutAStrategy) {
  ExpectTheSameLosses(GetStrategy());
}

TEST(TensorFlowCheckpointTest, GoesOnUnderAnyNumberOfReplicas) {
  for (const int replicas : {1, 2, 3, 5}) {
    SetLogicalCpuDevices(replicas);
    MirroredStrategy strategy;
    ASSERT_EQ(strategy.num_replicas_in_sync(), replicas);
    ExpectTheSameLosses(strategy);
  }
}

}  // namespace
}  // namespace lockstep::examples
