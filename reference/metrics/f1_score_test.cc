#include "reference/metrics/f1_score.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/metrics/named_metric.h"

namespace lockstep {
namespace {

Tensor Row(const std::vector<float>& values) {
  return Tensor::FromVector(values);
}

TEST(F1ScoreTest, IsTheHarmonicMeanOfPrecisionAndRecall) {
  F1Score f1;
  // Precision 2 / 3, recall 2 / 4.
  f1.UpdateState(Row({1, 1, 1, 1, 0, 0}), Row({0.9, 0.6, 0.5, 0.1, 0.8, 0.2}));
  EXPECT_DOUBLE_EQ(f1.Result(),
                   2 * (2.0 / 3) * (2.0 / 4) / (2.0 / 3 + 2.0 / 4));
  f1.ResetState();
  EXPECT_EQ(f1.Result(), 0);
}

TEST(F1ScoreTest, WeightsAndBatches) {
  F1Score f1;
  f1.UpdateState(Row({1, 0}), Row({0.9, 0.9}), Row({3, 1}));
  f1.UpdateState(Row({1}), Row({0.1}));
  EXPECT_EQ(f1.Result(), 0.75);  // 2 * 3 / (2 * 3 + 1 + 1)
}

TEST(F1ScoreTest, IsZeroWithoutPositives) {
  F1Score f1;
  f1.UpdateState(Row({0, 0}), Row({0.1, 0.2}));
  EXPECT_EQ(f1.Result(), 0);
}

TEST(F1ScoreTest, HasKerasName) {
  EXPECT_EQ(NamedMetric("f1_score")->name(), "f1_score");
}

}  // namespace
}  // namespace lockstep
