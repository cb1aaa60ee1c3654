#include "reference/metrics/auc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/metrics/named_metric.h"

namespace lockstep {
namespace {

Tensor Scores(const std::vector<float>& values) {
  return Tensor::FromVector(values);
}

// Two examples of each label. Above thresholds 0, 0.5 and 1 are 2, 1 and 0
// positives, and 2, 0 and 0 others.
double AreaOfFour(const AucOptions& options) {
  Auc auc(options);
  auc.UpdateState(Scores({0, 0, 1, 1}), Scores({0, 0.5, 0.3, 0.9}));
  return auc.Result();
}

// Keras 3.15.1 gives the same values.
TEST(AucTest, IsTheAreaBelowTheCurve) {
  EXPECT_EQ(AreaOfFour({.num_thresholds = 3}), 0.75);
  EXPECT_EQ(
      AreaOfFour({.num_thresholds = 3, .summation = AucSummation::kMinoring}),
      0.5);
  EXPECT_EQ(
      AreaOfFour({.num_thresholds = 3, .summation = AucSummation::kMajoring}),
      1);
  EXPECT_EQ(AreaOfFour({.num_thresholds = 2}), 0.5);
}

// Precision is 1/2, 1 and, without predictions, 0.
TEST(AucTest, IsTheAreaBelowPrecisionByRecall) {
  EXPECT_EQ(AreaOfFour({.num_thresholds = 3,
                        .curve = AucCurve::kPrecisionRecall,
                        .summation = AucSummation::kMinoring}),
            0.25);
  EXPECT_EQ(AreaOfFour({.num_thresholds = 3,
                        .curve = AucCurve::kPrecisionRecall,
                        .summation = AucSummation::kMajoring}),
            1);
  // From 1 of 1 to 2 of 4: slope 1/3, intercept 2/3.
  EXPECT_NEAR(
      AreaOfFour({.num_thresholds = 3, .curve = AucCurve::kPrecisionRecall}),
      (1 + 2 / 3.0 * std::log(4)) / 6 + 0.5, 1e-12);
}

TEST(AucTest, WeightsAndBatches) {
  Auc auc({.num_thresholds = 3});
  EXPECT_EQ(auc.Result(), 0);
  auc.UpdateState(Scores({0, 0}), Scores({0, 0.5}), Scores({1, 0}));
  auc.UpdateState(Scores({1, 1}), Scores({0.3, 0.9}), Scores({0, 1}));
  EXPECT_EQ(auc.Result(), 1);
  auc.ResetState();
  EXPECT_EQ(auc.Result(), 0);
}

// A score equal to a threshold is not above it, except at the ends.
TEST(AucTest, EndsAreBeyondAllScores) {
  Auc auc({.num_thresholds = 3});
  auc.UpdateState(Scores({1, 0}), Scores({1, 0}));
  EXPECT_EQ(auc.Result(), 1);
  EXPECT_EQ(auc.variables()[0]->Read().ToVector<float>(),
            (std::vector<float>{1, 1, 0}));
  EXPECT_EQ(auc.variables()[2]->Read().ToVector<float>(),
            (std::vector<float>{0, 1, 1}));
}

TEST(AucTest, EmptyBatch) {
  Auc auc({.num_thresholds = 3});
  auc.UpdateState(Scores({1, 0}), Scores({0.9, 0.1}));
  auc.UpdateState(Tensor::Zeros(Shape{0}), Tensor::Zeros(Shape{0, 1}));
  EXPECT_EQ(auc.Result(), 1);
}

TEST(AucTest, RefusesWrongArguments) {
  EXPECT_EQ(CodeOf([] { Auc({.num_thresholds = 1}); }), Code::kInvalidArgument);
  Auc auc;
  EXPECT_EQ(CodeOf([&] { auc.UpdateState(Scores({2}), Scores({0.5})); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { auc.UpdateState(Scores({1}), Scores({1.5})); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] {
              auc.UpdateState(Scores({1}), Scores({1, 1}));
            }),
            Code::kInvalidArgument);
}

TEST(AucTest, HasKerasName) { EXPECT_EQ(NamedMetric("AUC")->name(), "AUC"); }

}  // namespace
}  // namespace lockstep
