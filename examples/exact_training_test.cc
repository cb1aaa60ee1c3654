#include "examples/exact_training.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "examples/fashion_mnist_model.h"
#include "reference/base/json.h"
#include "reference/lockstep.h"

namespace lockstep::examples {
namespace {

// The numbers are from benchmarks/peers/exact_fixture.py.
TEST(ExactFixtureTest, StreamsBeginAsDocumented) {
  const auto first = [](uint32_t stream) {
    std::vector<int> bytes;
    for (uint32_t i = 0; i < 4; ++i) bytes.push_back(ExactByte(stream, i));
    return bytes;
  };
  EXPECT_EQ(first(0), (std::vector<int>{167, 152, 69, 49}));
  EXPECT_EQ(first(64), (std::vector<int>{89, 51, 28, 34}));
}

TEST(ExactFixtureTest, WeightsAndBatchesAreScaledBytes) {
  const auto model = CreateModel();
  model.Build(Shape{kUnknownDim, 28, 28, 1});
  SetExactWeights(model);
  const auto variables = model.variables();
  ASSERT_EQ(variables.size(), 8u);
  EXPECT_EQ(variables[0]->Read().at<float>(0), (167.0f - 128) / 128 / 8);
  EXPECT_EQ(variables[1]->Read().at<float>(31), 0);
  const Structure batch = ExactBatch(4, 3);  // as step 0
  EXPECT_EQ(batch[0].leaf().shape(), (Shape{3, 28, 28, 1}));
  EXPECT_EQ(batch[0].leaf().at<float>(1), 51.0f / 256);
  EXPECT_EQ(batch[1].leaf().at<int64_t>(2), ExactByte(128, 2) % 10);
}

}  // namespace

// Training from a checkpoint of TensorFlow 2.21 continues with TensorFlow's
// losses (testdata/README.md).

namespace {

const std::string kFolder =  // NOLINT: lives as long as the program
    "examples/testdata/tensorflow_small_cnn";

// The document's model with fewer filters and units.
Sequential CreateSmallModel() {
  constexpr Activation kRelu = Activation::kRelu;
  return Sequential({
      Conv2D(4, 3, {.activation = kRelu}),
      MaxPooling2D(),
      Conv2D(8, 3, {.activation = kRelu}),
      MaxPooling2D(),
      Flatten(),
      Dense(16, {.activation = kRelu}),
      Dense(10),
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

TEST(TensorFlowCheckpointTest, ContinuesWithoutAStrategy) {
  ExpectTheSameLosses(GetStrategy());
}

TEST(TensorFlowCheckpointTest, ContinuesOnAnyNumberOfReplicas) {
  for (const int replicas : {1, 2, 3, 5}) {
    SetLogicalCpuDevices(replicas);
    MirroredStrategy strategy;
    ASSERT_EQ(strategy.num_replicas_in_sync(), replicas);
    ExpectTheSameLosses(strategy);
  }
}

}  // namespace
}  // namespace lockstep::examples
