#include "reference/metrics/confusion.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"

namespace lockstep {
namespace {

// Scores .9 .8 .2 .1 .7 against 0 1 1 0 1 (figures: TensorFlow 2.21).
template <typename MetricType>
double Of() {
  MetricType metric;
  metric.UpdateState(Tensor::FromVector<float>({0, 1, 1, 0, 1}),
                     Tensor::FromVector<float>({.9f, .8f, .2f, .1f, .7f}));
  return metric.Result();
}

TEST(ConfusionTest, CountsWhatIsAboveTheThreshold) {
  EXPECT_EQ(Of<Precision>(), 2.0 / 3);
  EXPECT_EQ(Of<Recall>(), 2.0 / 3);
  EXPECT_EQ(Of<TruePositives>(), 2.0);
}

TEST(ConfusionTest, NothingSeenIsZeroNotNaN) {
  EXPECT_EQ(Precision().Result(), 0.0);
  EXPECT_EQ(Recall().Result(), 0.0);
}

TEST(ConfusionTest, RefusesLabelsThatAreNoTruth) {
  Precision precision;
  EXPECT_THROW(precision.UpdateState(Tensor::FromVector<float>({2}),
                                     Tensor::FromVector<float>({1})),
               Error);
}

}  // namespace
}  // namespace lockstep
