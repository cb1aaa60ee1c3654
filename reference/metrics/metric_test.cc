#include "reference/metrics/metric.h"

#include <gtest/gtest.h>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

Tensor Floats(const std::vector<float>& values) {
  return Tensor::FromVector(values);
}

TEST(MeanTest, AveragesAllUpdates) {
  Mean mean;
  EXPECT_EQ(mean.Result(), 0.0);
  mean.UpdateState(Floats({1, 2}));
  mean.UpdateState(Floats({6}));
  EXPECT_EQ(mean.Result(), 3.0);
}

TEST(MeanTest, EmptyBatch) {
  Mean mean;
  mean.UpdateState(Floats({4}));
  mean.UpdateState(Floats({}));
  EXPECT_EQ(mean.Result(), 4.0);
}

TEST(MeanTest, WeighsValues) {
  Mean mean;
  mean.UpdateState(Floats({1, 2, 3}), Floats({1, 0, 1}));
  mean.UpdateState(Floats({10}), Floats({0.5}));
  EXPECT_EQ(mean.Result(), 3.6);  // (1 + 3 + 5) / 2.5
}

TEST(MeanTest, OneWeightPerRow) {
  Mean mean;
  mean.UpdateState(Tensor::FromVector<float>({1, 3, 5, 7}, Shape{2, 2}),
                   Floats({1, 0}));
  EXPECT_EQ(mean.Result(), 2.0);
}

TEST(MeanTest, ScalarWeight) {
  Mean mean;
  mean.UpdateState(Floats({1, 3}), Tensor::Scalar(0.5f));
  EXPECT_EQ(mean.Result(), 2.0);
}

TEST(MeanTest, RefusesOtherWeights) {
  Mean mean;
  EXPECT_THROW(mean.UpdateState(Floats({1, 2, 3}), Floats({1, 2})), Error);
  EXPECT_EQ(mean.Result(), 0.0);
}

TEST(MeanTest, Reset) {
  Mean mean;
  mean.UpdateState(Floats({4}));
  mean.ResetState();
  EXPECT_EQ(mean.Result(), 0.0);
  mean.UpdateState(Floats({5}));
  EXPECT_EQ(mean.Result(), 5.0);
}

TEST(MeanTest, Integers) {
  Mean mean;
  mean.UpdateState(Tensor::FromVector<int64_t>({0, 1, 2, 3}));
  EXPECT_EQ(mean.Result(), 1.5);
}

TEST(SumTest, AddsWeightedValues) {
  Sum sum;
  sum.UpdateState(Tensor::FromVector<float>({1, 2}));
  sum.UpdateState(Tensor::FromVector<float>({4, 8}),
                  Tensor::FromVector<float>({1, 0.5}));
  EXPECT_EQ(sum.Result(), 11.0);
  sum.ResetState();
  EXPECT_EQ(sum.Result(), 0.0);
}

// Scores .9 .8 .2 .1 .7 against 0 1 1 0 1 (figures: TensorFlow 2.21).
template <typename MetricType>
double Of() {
  MetricType metric;
  metric.UpdateState(Tensor::FromVector<float>({0, 1, 1, 0, 1}),
                     Tensor::FromVector<float>({.9f, .8f, .2f, .1f, .7f}));
  return metric.Result();
}

TEST(ConfusionTest, CountsByThreshold) {
  EXPECT_EQ(Of<Precision>(), 2.0 / 3);
  EXPECT_EQ(Of<Recall>(), 2.0 / 3);
  EXPECT_EQ(Of<TruePositives>(), 2.0);
}

TEST(ConfusionTest, IsZeroWithoutData) {
  EXPECT_EQ(Precision().Result(), 0.0);
  EXPECT_EQ(Recall().Result(), 0.0);
}

TEST(ConfusionTest, RefusesOtherLabels) {
  Precision precision;
  EXPECT_THROW(precision.UpdateState(Tensor::FromVector<float>({2}),
                                     Tensor::FromVector<float>({1})),
               Error);
}

TEST(MeanErrorTest, RankOne) {
  MeanSquaredError squared;
  MeanAbsoluteError absolute;
  for (const std::vector<float>& labels :
       {std::vector<float>{1, 2}, std::vector<float>{},
        std::vector<float>{4}}) {
    const Tensor zeros = Tensor::Zeros(Shape{int64_t(labels.size())});
    squared.UpdateState(Floats(labels), zeros);
    absolute.UpdateState(Floats(labels), zeros);
  }
  EXPECT_EQ(squared.Result(), 7.0);  // (1 + 4 + 16) / 3
  EXPECT_FLOAT_EQ(absolute.Result(), 7.0f / 3);
}

TEST(MeanErrorTest, HigherRank) {
  MeanSquaredError error;
  error.UpdateState(Tensor::FromVector<float>({1, 3, 0, 2}, Shape{2, 2}),
                    Tensor::Zeros(Shape{2, 2}), Floats({1, 3}));
  EXPECT_EQ(error.Result(), 2.75);  // (5 * 1 + 2 * 3) / 4
}

TEST(MeanErrorTest, RootOfTheMean) {
  RootMeanSquaredError error;
  error.UpdateState(Floats({1, 2, 4}), Floats({0, 0, 0}));
  EXPECT_FLOAT_EQ(error.Result(), 2.6457513f);  // sqrt(7)
}

TEST(MeanErrorTest, RefusesDifferentShapes) {
  EXPECT_THROW(MeanSquaredError().UpdateState(Floats({1}), Floats({1, 2})),
               Error);
}

TEST(MetricTest, UpdatesThroughTheBaseClass) {
  const Tensor labels = Tensor::FromVector<float>({1, 0});
  const Tensor scores = Tensor::FromVector<float>({0.75f, 0.75f});
  Precision precision;
  Metric& metric = precision;
  metric.UpdateState(labels, scores);
  EXPECT_EQ(metric.Result(), 0.5);
  Mean mean("m");
  Metric& values = mean;
  ExpectError([&] { values.UpdateState(labels, scores); }, Code::kUnimplemented,
              "'m' takes values");
}

}  // namespace
}  // namespace lockstep
