// Expected values: Keras 3.15.1's Discretization, unless a test says otherwise.
#include "reference/preprocessing/numeric/quantile_summary.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

using FloatRow = std::vector<float>;

FloatRow UpTo(int end) {
  FloatRow numbers;
  for (int i = 0; i < end; ++i) numbers.push_back(static_cast<float>(i));
  return numbers;
}

FloatRow BoundariesOf(int64_t bins, double epsilon,
                      const std::vector<FloatRow>& parts) {
  QuantileSummary summary(epsilon);
  for (const FloatRow& part : parts) summary.Add(part);
  return summary.Boundaries(bins);
}

TEST(QuantileSummaryTest, FewNumbersAreAllKept) {
  QuantileSummary summary(0.01);
  summary.Add({5, 1, 3, 2, 4});
  EXPECT_EQ(summary.values(), (FloatRow{1, 2, 3, 4, 5}));
  EXPECT_EQ(summary.weights(), (FloatRow{1, 1, 1, 1, 1}));
  EXPECT_EQ(summary.Boundaries(2), FloatRow{2.5});  // by hand
}

TEST(QuantileSummaryTest, BoundariesOfTen) {
  EXPECT_EQ(BoundariesOf(4, 0.05, {UpTo(10)}),
            (FloatRow{1.4999998807907104f, 4, 6.5}));
  EXPECT_EQ(BoundariesOf(1, 0.01, {{1, 2, 3}}), FloatRow{});
  EXPECT_EQ(BoundariesOf(4, 0.01, {{5}}), FloatRow{});
  EXPECT_EQ(BoundariesOf(2, 0.01, {{5, 7}}), FloatRow{5});
  EXPECT_EQ(BoundariesOf(4, 0.01, {FloatRow(8, 1.0f)}), (FloatRow{1, 1, 1}));
  EXPECT_EQ(BoundariesOf(4, 0.01, {}), FloatRow{});
}

TEST(QuantileSummaryTest, BoundariesOfAThousand) {
  EXPECT_EQ(
      BoundariesOf(10, 0.01, {UpTo(1000)}),
      (FloatRow{98.99993896484375f, 198.9998321533203f, 298.99981689453125f,
                398.99981689453125f, 498.99981689453125f, 598.9999389648438f,
                698.9998779296875f, 798.9999389648438f, 898.9999389648438f}));
}

TEST(QuantileSummaryTest, StepsThatAreNotWhole) {
  QuantileSummary summary(0.3);
  summary.Add(UpTo(17));
  EXPECT_EQ(summary.values(), (FloatRow{4, 9, 14}));
  EXPECT_EQ(summary.weights(), FloatRow(3, 5.099999904632568f));
  EXPECT_EQ(summary.Boundaries(3), (FloatRow{4, 9}));
}

TEST(QuantileSummaryTest, ThreeParts) {
  std::vector<FloatRow> parts(3);
  for (int i = 0; i < 250; ++i) {
    parts[i < 100 ? 0 : i < 180 ? 1 : 2].push_back(static_cast<float>(i * i));
  }
  QuantileSummary summary(0.1);
  for (const FloatRow& part : parts) summary.Add(part);
  EXPECT_EQ(summary.values(),
            (FloatRow{672.1111450195312f, 2480.999755859375f, 5534.33349609375f,
                      9880.9990234375f, 15404.33203125f, 22287.66796875f,
                      30344.33203125f, 39606.99609375f, 50188, 62001}));
  EXPECT_EQ(
      summary.weights(),
      (FloatRow{25.000001907348633f, 24.999998092651367f, 25.000001907348633f,
                24.9999942779541f, 25.000001907348633f, 25.0000057220459f,
                24.999990463256836f, 25, 25.000001907348633f,
                25.000001907348633f}));
  EXPECT_EQ(summary.Boundaries(5),
            (FloatRow{2480.99951171875f, 9880.9990234375f, 22287.666015625f,
                      39606.99609375f}));
}

TEST(QuantileSummaryTest, FourPartsWithEqualNumbers) {
  std::vector<FloatRow> parts(4);
  for (int part = 0; part < 4; ++part) {
    for (int i = 0; i < 50; ++i) {
      parts[part].push_back(static_cast<float>((i * 37 + part * 11) % 101));
    }
  }
  EXPECT_EQ(
      BoundariesOf(7, 0.03, parts),
      (FloatRow{14.666666030883789f, 28.047616958618164f, 42.753971099853516f,
                57.30687713623047f, 71.52381134033203f, 86.39286041259766f}));
}

TEST(QuantileSummaryTest, NaNIsLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(BoundariesOf(4, 0.01, {{1, nan, 2, 3}}), (FloatRow{1, 2, 3}));
}

TEST(QuantileSummaryTest, NeverMoreBinsThanWanted) {
  // Unlike Keras, which makes 50 bins when it is given 49.
  for (int64_t bins = 1; bins <= 200; ++bins) {
    EXPECT_EQ(BoundariesOf(bins, 0.001, {UpTo(1000)}).size(), bins - 1);
  }
}

TEST(QuantileSummaryTest, MergeIsAddingTheParts) {
  QuantileSummary whole(0.1), first(0.1), second(0.1);
  whole.Add(UpTo(8));
  whole.Add(UpTo(90));
  first.Add(UpTo(8));
  second.Add(UpTo(90));
  first.Merge(second);
  EXPECT_EQ(first.values(), whole.values());
  EXPECT_EQ(first.weights(), whole.weights());
}

RC_GTEST_PROP(QuantileSummaryTest, BoundariesAreInOrderAndInTheData,
              (std::vector<std::vector<int16_t>> parts, uint8_t bins)) {
  QuantileSummary summary(0.05);
  FloatRow all;
  for (const std::vector<int16_t>& part : parts) {
    summary.Add(FloatRow(part.begin(), part.end()));
    all.insert(all.end(), part.begin(), part.end());
  }
  const FloatRow boundaries = summary.Boundaries(bins + 1);
  RC_ASSERT(std::ranges::is_sorted(boundaries));
  RC_ASSERT(boundaries.size() <= bins);
  for (const float boundary : boundaries) {
    RC_ASSERT(boundary >= std::ranges::min(all));
    RC_ASSERT(boundary <= std::ranges::max(all));
  }
}

TEST(QuantileSummaryTest, RefusesWrongEpsilons) {
  for (const double epsilon : {0.0, -1.0, 1.5, std::nan("")}) {
    EXPECT_EQ(CodeOf([&] { QuantileSummary summary(epsilon); }),
              Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace lockstep
