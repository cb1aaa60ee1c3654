#include "benchmarks/workloads/ncf/ncf.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "benchmarks/workloads/small/small_training.h"

namespace lockstep::benchmarks {
namespace {

// Losses of PyTorch 2.15.0 in float64, one replica, before each step; two give
// the same.
const std::vector<double> kLosses = {0.575174866636, 0.540122676150,
                                     0.503859294820, 0.572924777642,
                                     0.607036107812};

// Ours is float32. PyTorch 2.15.0 in float32 differs from itself in float64 by
// 6e-9 in a loss, and its weights of 1 and 2 replicas by 4.5e-8; ours may by two
// roundings of a loss, and by ten times as much.
constexpr double kLoss = 1.2e-7;
constexpr double kWeight = 4.5e-7;

class NcfTest : public testing::TestWithParam<int> {};

TEST_P(NcfTest, ReplicasTrainAsPyTorch) {
  const SmallTraining ours = TrainSmall(SmallNcf(), GetParam());
  ASSERT_EQ(ours.losses.size(), kLosses.size());
  for (size_t step = 0; step < kLosses.size(); ++step) {
    EXPECT_NEAR(ours.losses[step], kLosses[step], kLoss) << "step " << step;
  }
  const std::vector<float> users = ours.weights[0].ToVector<float>();
  EXPECT_NEAR(users.front(), -0.201898283149, kWeight);
  EXPECT_NEAR(users.back(), 0.033562002744, kWeight);
  EXPECT_NEAR(ours.test_quality, 1.0 / 3, 1e-12) << "4 of 12 users";
}

INSTANTIATE_TEST_SUITE_P(Replicas, NcfTest, testing::Values(1, 2, 3));

TEST(NcfWeightsTest, ReplicasHaveTheWeightsOfOne) {
  const SmallTraining one = TrainSmall(SmallNcf(), 1);
  for (const int replicas : {2, 3}) {
    EXPECT_LT(LargestDifference(one, TrainSmall(SmallNcf(), replicas)), kWeight)
        << replicas;
  }
}

TEST(NcfWeightsTest, ThereAreAsManyAsInTensorFlowsModel) {
  int64_t weights = 0;
  for (const WeightSpec& spec : SmallNcf().weights) {
    weights += spec.shape.num_elements();
  }
  EXPECT_EQ(weights, 7961);
}

}  // namespace
}  // namespace lockstep::benchmarks
