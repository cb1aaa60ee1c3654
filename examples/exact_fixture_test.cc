#include "examples/exact_fixture.h"

#include <gtest/gtest.h>

#include <vector>

#include "examples/fashion_mnist_model.h"

namespace lockstep::examples {
namespace {

// The numbers stand in benchmarks/peers/exact_fixture.py.
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
  model->Build(Shape{kUnknownDim, 28, 28, 1});
  SetExactWeights(*model);
  const auto variables = model->variables();
  ASSERT_EQ(variables.size(), 8u);
  EXPECT_EQ(variables[0]->Read().at<float>(0), (167.0f - 128) / 128 / 8);
  EXPECT_EQ(variables[1]->Read().at<float>(31), 0);
  const Structure batch = ExactBatch(4, 3);  // as step 0
  EXPECT_EQ(batch[0].leaf().shape(), (Shape{3, 28, 28, 1}));
  EXPECT_EQ(batch[0].leaf().at<float>(1), 51.0f / 256);
  EXPECT_EQ(batch[1].leaf().at<int64_t>(2), ExactByte(128, 2) % 10);
}

}  // namespace
}  // namespace lockstep::examples
