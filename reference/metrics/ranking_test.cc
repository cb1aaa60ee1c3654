#include "reference/metrics/ranking.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/metrics/recommender_scores_testing.h"

namespace lockstep {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor RightItems(const std::vector<int64_t>& positions) {
  return Tensor::FromVector(positions);
}

// Ranks 1 and 2.
const Tensor kTwoRows =
    Tensor::FromVector<float>({5, 9, 1, 7, 8, 3}, Shape{2, 3});
const double kGainOfRank1 = static_cast<float>(1 / std::log2(3.0));

TEST(RankingTest, OnlyTheFirstKCount) {
  HitRate hits(2);
  Ndcg gain(2);
  for (RankingMetric* metric : std::vector<RankingMetric*>{&hits, &gain}) {
    EXPECT_EQ(metric->Result(), 0);
    metric->UpdateState(RightItems({0, 2}), kTwoRows);
  }
  EXPECT_EQ(hits.Result(), 0.5);
  EXPECT_EQ(gain.Result(), kGainOfRank1 / 2);
}

TEST(RankingTest, TheBestHasAGainOfOne) {
  Ndcg gain(1);
  gain.UpdateState(RightItems({1, 1}), kTwoRows);
  EXPECT_EQ(gain.Result(), 1);
}

TEST(RankingTest, EqualScoresDoNotLowerTheRank) {
  HitRate hits(1);
  hits.UpdateState(RightItems({2}),
                   Tensor::FromVector<float>({4, 4, 4}, Shape{1, 3}));
  EXPECT_EQ(hits.Result(), 1);
}

// A row has three candidates, of which one is filled in; a batch has three
// rows, of which one is filled in.
TEST(RankingTest, WhatIsFilledInDoesNotCount) {
  const Tensor scores = Tensor::FromVector<float>(
      {1, 2, -kInfinity, 2, 1, -kInfinity, 0, 0, 0}, Shape{3, 3});
  HitRate hits(1);
  hits.UpdateState(RightItems({0, 0, 0}), scores,
                   Tensor::FromVector<float>({1, 1, 0}));
  EXPECT_EQ(hits.Result(), 0.5);
}

TEST(RankingTest, WeightsRows) {
  HitRate hits(2);
  hits.UpdateState(RightItems({0, 2}), kTwoRows,
                   Tensor::FromVector<float>({3, 1}));
  EXPECT_EQ(hits.Result(), 0.75);
}

TEST(RankingTest, ARowWithNaNIsAMiss) {
  HitRate hits(3);
  hits.UpdateState(
      RightItems({0, 1, 1}),
      Tensor::FromVector<float>({NAN, 1, 1, NAN, 0, 1}, Shape{3, 2}));
  EXPECT_EQ(hits.Result(), 1 / 3.0);
}

TEST(RankingTest, AnEmptyBatchAddsNothing) {
  HitRate hits(2);
  hits.UpdateState(RightItems({0, 2}), kTwoRows);
  hits.UpdateState(RightItems({}), kTwoRows.Slice(0, 0));
  EXPECT_EQ(hits.Result(), 0.5);
}

// PyTorch 2.15.0, float64, of the ranks that the header gives.
TEST(RankingTest, AgreesWithPyTorch) {
  struct Expected {
    int64_t k;
    double hit_rate, ndcg;
  };
  const Tensor scores = Tensor::FromVector(kRecommenderScores, Shape{12, 31});
  const Tensor right = Tensor::Full<int64_t>(Shape{12}, 30);
  for (const auto& [k, hit_rate, ndcg] :
       {Expected{1, 0, 0}, Expected{5, 0.25, 0.130133859304},
        Expected{10, 0.333333333333, 0.155219692276},
        Expected{20, 0.666666666667, 0.240736040545}}) {
    HitRate hits(k);
    Ndcg gain(k);
    // In two batches.
    for (const auto& [begin, end] : {std::pair(0, 5), std::pair(5, 12)}) {
      hits.UpdateState(right.Slice(begin, end), scores.Slice(begin, end));
      gain.UpdateState(right.Slice(begin, end), scores.Slice(begin, end));
    }
    EXPECT_NEAR(hits.Result(), hit_rate, 1e-12) << k;
    // The sum of gains is float32 between batches: 12 of them, below 8.
    EXPECT_NEAR(gain.Result(), ndcg, 1e-7) << k;
  }
}

TEST(RankingTest, RefusesWrongArguments) {
  EXPECT_EQ(CodeOf([] { HitRate(0); }), Code::kInvalidArgument);
  HitRate hits(1);
  const auto update = [&](const Tensor& labels, const Tensor& scores) {
    return CodeOf([&] { hits.UpdateState(labels, scores); });
  };
  EXPECT_EQ(update(RightItems({0}), kTwoRows), Code::kInvalidArgument);
  EXPECT_EQ(update(RightItems({0, 3}), kTwoRows), Code::kInvalidArgument);
  EXPECT_EQ(update(RightItems({0, -1}), kTwoRows), Code::kInvalidArgument);
  EXPECT_EQ(update(RightItems({0, 0}), Tensor::FromVector<float>({1, 2})),
            Code::kInvalidArgument);
  EXPECT_EQ(hits.Result(), 0);
}

}  // namespace
}  // namespace lockstep
