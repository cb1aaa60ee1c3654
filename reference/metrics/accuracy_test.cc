#include "reference/metrics/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/device/fake_gpu.h"
#include "reference/metrics/named_metric.h"

namespace lockstep {
namespace {

TEST(AccuracyTest, CountsEqualPairs) {
  Accuracy accuracy;
  accuracy.UpdateState(Tensor::FromVector<int64_t>({0, 1, 2, 1}),
                       Tensor::FromVector<int64_t>({0, 1, 1, 2}));
  EXPECT_EQ(accuracy.Result(), 0.5);
}

TEST(AccuracyTest, RefusesDifferentShapes) {
  Accuracy accuracy;
  EXPECT_THROW(accuracy.UpdateState(Tensor::FromVector<int64_t>({0, 1}),
                                    Tensor::FromVector<int64_t>({0})),
               Error);
}

const Tensor kScores =
    Tensor::FromVector<float>({9, 1, 0, 0, 5, 1, 2, 3, 1}, Shape{3, 3});

TEST(SparseCategoricalAccuracyTest, ChoosesTheLargestScore) {
  SparseCategoricalAccuracy accuracy;
  accuracy.UpdateState(Tensor::FromVector<int64_t>({0, 1, 0}), kScores);
  accuracy.UpdateState(Tensor::FromVector<uint8_t>({1}, Shape{1, 1}),
                       kScores.Slice(1, 2));
  EXPECT_EQ(accuracy.Result(), 0.75);
}

TEST(SparseCategoricalAccuracyTest, IgnoredLabelsDoNotCount) {
  SparseCategoricalAccuracy accuracy("accuracy", /*ignore_class=*/-1);
  const Tensor scores =
      Tensor::FromVector<float>({1, 0, 1, 0, 0, 1, 1, 0}, Shape{2, 2, 2});
  const Tensor labels =
      Tensor::FromVector<int64_t>({0, -1, -1, 1}, Shape{2, 2});
  accuracy.UpdateState(labels, scores);
  EXPECT_EQ(accuracy.Result(), 0.5);
  accuracy.ResetState();
  accuracy.UpdateState(labels, scores, Tensor::FromVector<float>({3, 1}));
  EXPECT_EQ(accuracy.Result(), 0.75);
}

TEST(SparseCategoricalAccuracyTest, EmptyBatch) {
  SparseCategoricalAccuracy accuracy;
  accuracy.UpdateState(Tensor::Empty(Shape{0}, DType::kInt64),
                       kScores.Slice(0, 0));
  EXPECT_EQ(accuracy.Result(), 0.0);
}

TEST(SparseCategoricalAccuracyTest, RefusesOtherShapes) {
  SparseCategoricalAccuracy accuracy;
  EXPECT_THROW(
      accuracy.UpdateState(Tensor::FromVector<int64_t>({0, 1}), kScores),
      Error);
  EXPECT_THROW(
      accuracy.UpdateState(Tensor::Scalar<int64_t>(0), Tensor::Scalar(1.0f)),
      Error);
}

// Figures from Keras 3.15.1.
TEST(BinaryAccuracyTest, CountsEveryElement) {
  BinaryAccuracy accuracy;
  accuracy.UpdateState(
      Tensor::FromVector<float>({1, 0, 1, 0, 0, 1}, Shape{2, 3}),
      Tensor::FromVector<float>({.9f, .2f, .5f, 0, .3f, 1}, Shape{2, 3}),
      Tensor::FromVector<float>({1, 3}));
  EXPECT_DOUBLE_EQ(accuracy.Result(), 11.0 / 12);
}

TEST(BinaryAccuracyTest, LabelsOfRankOne) {
  BinaryAccuracy accuracy;
  accuracy.UpdateState(
      Tensor::FromVector<int64_t>({1, 0, 1, 0}),
      Tensor::FromVector<float>({.6f, .5f, .4f, .1f}, Shape{4, 1}));
  EXPECT_EQ(accuracy.Result(), 0.75);
  BinaryAccuracy at_a_third("a", 0.3);
  at_a_third.UpdateState(Tensor::FromVector<float>({1, 0}),
                         Tensor::FromVector<float>({.4f, .4f}));
  EXPECT_EQ(at_a_third.Result(), 0.5);
  EXPECT_EQ(CodeOf([&] {
              accuracy.UpdateState(Tensor::Zeros(Shape{3}),
                                   Tensor::Zeros(Shape{4, 1}));
            }),
            Code::kInvalidArgument);
}

TEST(CategoricalAccuracyTest, ComparesTheLargest) {
  CategoricalAccuracy accuracy;
  accuracy.UpdateState(
      Tensor::FromVector<float>({0, 1, 0, .25f, .25f, .5f}, Shape{2, 3}),
      Tensor::FromVector<float>({2, -1, 0, .5f, -3, 40}, Shape{2, 3}),
      Tensor::FromVector<float>({1, 3}));
  EXPECT_EQ(accuracy.Result(), 0.75);
  EXPECT_EQ(CodeOf([&] {
              accuracy.UpdateState(Tensor::Zeros(Shape{2}),
                                   Tensor::Zeros(Shape{2, 3}));
            }),
            Code::kInvalidArgument);
}

double TopK(int64_t k, int64_t label, const std::vector<float>& scores) {
  SparseTopKCategoricalAccuracy accuracy(k);
  accuracy.UpdateState(
      Tensor::FromVector<int64_t>({label}),
      Tensor::FromVector(scores,
                         Shape{1, static_cast<int64_t>(scores.size())}));
  return accuracy.Result();
}

TEST(SparseTopKCategoricalAccuracyTest, CountsLargerScores) {
  const std::vector<float> scores = {.1f, .9f, .8f};
  EXPECT_EQ(TopK(1, 2, scores), 0);
  EXPECT_EQ(TopK(2, 2, scores), 1);
  EXPECT_EQ(TopK(1, 1, scores), 1);
  EXPECT_EQ(TopK(1, 2, {1, 1, 1, 0}), 1);
  EXPECT_EQ(TopK(2, 4, {1, 2, 3, 4}), 0);
  EXPECT_EQ(TopK(2, -1, {1, 2, 3, 4}), 0);
  EXPECT_EQ(TopK(4, 3, {NAN, 1, 2, 3}), 0);
  EXPECT_EQ(TopK(4, 1, {1, std::numeric_limits<float>::infinity(), 2, 3}), 0);
  EXPECT_EQ(CodeOf([] { SparseTopKCategoricalAccuracy none(0); }),
            Code::kInvalidArgument);
}

TEST(SparseTopKCategoricalAccuracyTest, UnimplementedOnAGpu) {
  FakeGpu gpu;
  const Tensor scores =
      Tensor::FromVector<float>({1, 2}, Shape{1, 2}, gpu.device());
  SparseTopKCategoricalAccuracy accuracy;
  EXPECT_EQ(CodeOf([&] {
              accuracy.UpdateState(Tensor::FromVector<int64_t>({1}), scores);
            }),
            Code::kUnimplemented);
}

TEST(NamedMetricTest, KeepsItsName) {
  const auto mse = NamedMetric("mse");
  EXPECT_EQ(mse->name(), "mse");
  mse->UpdateState(Tensor::FromVector<float>({1, 2}),
                   Tensor::FromVector<float>({2, 5}, Shape{2, 1}));
  EXPECT_EQ(mse->Result(), 5);
  EXPECT_EQ(NamedMetric("Recall")->name(), "Recall");
  EXPECT_NE(dynamic_cast<RootMeanSquaredError*>(
                NamedMetric("root_mean_squared_error").get()),
            nullptr);
  ExpectError([] { NamedMetric("f1"); }, Code::kInvalidArgument,
              "[Metric] there is no 'f1', only binary_accuracy");
  ExpectError([] { NamedMetric("Acc"); }, Code::kInvalidArgument,
              "AccuracyFor");
}

template <typename T>
bool IsA(const std::shared_ptr<Metric>& metric) {
  return typeid(*metric) == typeid(T);
}

TEST(NamedMetricTest, AccuracyDependsOnShapes) {
  EXPECT_TRUE(IsA<BinaryAccuracy>(AccuracyFor(Shape{64}, Shape{64, 1})));
  EXPECT_TRUE(IsA<BinaryAccuracy>(AccuracyFor(Shape{64, 1}, Shape{64, 1})));
  EXPECT_TRUE(
      IsA<SparseCategoricalAccuracy>(AccuracyFor(Shape{64}, Shape{64, 10})));
  EXPECT_TRUE(
      IsA<SparseCategoricalAccuracy>(AccuracyFor(Shape{64, 1}, Shape{64, 10})));
  EXPECT_TRUE(
      IsA<CategoricalAccuracy>(AccuracyFor(Shape{64, 10}, Shape{64, 10})));
  EXPECT_EQ(AccuracyFor(Shape{64}, Shape{64, 10}, "acc")->name(), "acc");
  EXPECT_EQ(CodeOf([] { AccuracyFor(Shape{}, Shape{}); }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
