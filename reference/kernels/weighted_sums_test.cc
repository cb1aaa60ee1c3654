#include "reference/kernels/weighted_sums.h"

#include <gtest/gtest.h>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(WeightedSumsTest, SumsValuesAndWeights) {
  const Tensor values =
      Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{2, 3});
  EXPECT_EQ(WeightedSums(values, Tensor(), 1).ToVector<float>(),
            (std::vector<float>{21, 6}));
  const Tensor of_rows = Tensor::FromVector<float>({1, 0.5f});
  EXPECT_EQ(WeightedSums(values, of_rows, 3).ToVector<float>(),
            (std::vector<float>{6 + 7.5f, 4.5f}));
  EXPECT_EQ(WeightedSums(values.Slice(0, 0), Tensor(), 1).ToVector<float>(),
            (std::vector<float>{0, 0}));
}

// 2^24 + 1 is no float32: rounded after each element, every 1 would be lost.
TEST(WeightedSumsTest, RoundsOnce) {
  const Tensor values = Tensor::FromVector<float>({0x1p24f, 1, 1, 1, 1});
  EXPECT_EQ(WeightedSums(values, Tensor(), 1).at<float>(0), 0x1p24f + 4);
}

// Above the threshold: a hit, a false alarm; not above it: a miss, and nothing.
TEST(WeightedSumsTest, CountsWhatScoresGetRightAndWrong) {
  const Tensor labels = Tensor::FromVector<float>({1, 0, 1, 0});
  const Tensor scores = Tensor::FromVector<float>({0.9f, 0.8f, 0.5f, 0.1f});
  EXPECT_EQ(ConfusionSums(labels, scores, 0.5, Tensor(), 1).ToVector<float>(),
            (std::vector<float>{1, 1, 1}));
  const Tensor weights = Tensor::FromVector<float>({2, 4, 8, 16});
  EXPECT_EQ(ConfusionSums(labels, scores, 0.5, weights, 1).ToVector<float>(),
            (std::vector<float>{2, 4, 8}));
  ExpectInvalid(
      [&] {
        ConfusionSums(Tensor::Scalar(2.0f), Tensor::Scalar(1.0f), 0.5, Tensor(),
                      1);
      },
      "labels are 0 or 1, got 2");
}

}  // namespace
}  // namespace lockstep::kernels
