#include "benchmarks/micro/layers/layer_difference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::benchmarks {
namespace {

const LayerWork kExact{.kind = LayerKind::kMaxPool, .x = Shape{1, 2, 2, 1}};
// Of 16 rows: (sqrt(16) + 16) roundings.
const LayerWork kNorm{.kind = LayerKind::kBatchNorm, .x = Shape{4, 2, 2, 2}};
constexpr double kNormTolerance = 20 * 0x1p-24;

Tensor Values(const std::vector<float>& values) {
  return Tensor::FromVector(values);
}

TEST(LayerDifferenceTest, TolerancesCountRoundings) {
  EXPECT_EQ(LayerTolerance(kExact, DType::kFloat32), 0);
  EXPECT_EQ(LayerTolerance(kExact, DType::kBFloat16), 0);
  EXPECT_EQ(LayerTolerance(kNorm, DType::kFloat32), kNormTolerance);
  EXPECT_EQ(LayerTolerance(kNorm, DType::kBFloat16), kNormTolerance + 0x1p-7);
}

TEST(LayerDifferenceTest, AGradientOfSoftmaxBeginsWithARoundedResult) {
  LayerWork work{.kind = LayerKind::kSoftmax, .x = Shape{64, 10}};
  EXPECT_EQ(LayerTolerance(work, DType::kFloat32), 42 * 0x1p-24);
  work.pass = LayerPass::kBackward;
  EXPECT_EQ(LayerTolerance(work, DType::kFloat32), 84 * 0x1p-24);
  EXPECT_EQ(LayerTolerance(work, DType::kBFloat16), 84 * 0x1p-24 + 0x1p-6);
}

TEST(LayerDifferenceTest, AMeansGradientHasNoSum) {
  LayerWork work{.kind = LayerKind::kAvgPool,
                 .x = Shape{1, 7, 7, 1},
                 .windows = {.pool = {7, 7}, .strides = {7, 7}}};
  EXPECT_EQ(LayerTolerance(work, DType::kFloat32), 52 * 0x1p-24);
  work.pass = LayerPass::kBackward;
  EXPECT_EQ(LayerTolerance(work, DType::kFloat32), 3 * 0x1p-24);
}

TEST(LayerDifferenceTest, WhatIsNearEnoughIsNoDifference) {
  // 20 roundings of the largest: 4 * 20 * 2^-24 = 80 * 2^-24.
  const Tensor wanted = Values({0, -4});
  EXPECT_EQ(LayerDifference(kNorm, {wanted}, {wanted}), "");
  EXPECT_EQ(LayerDifference(kNorm, {wanted}, {Values({80 * 0x1p-24f, -4})}),
            "");
  EXPECT_EQ(LayerDifference(kNorm, {wanted}, {Values({81 * 0x1p-24f, -4})}),
            "result 0: 4.827976e-06 instead of 0 at element 0, more than "
            "1.2e-06 of the largest, 4");
}

TEST(LayerDifferenceTest, EveryResultIsLookedAt) {
  const Tensor same = Values({1});
  EXPECT_EQ(LayerDifference(kExact, {same, Values({2, 3})},
                            {same, Values({2, 3.5f})}),
            "result 1: 3.5 instead of 3 at element 1, more than 0 of the "
            "largest, 3");
  EXPECT_EQ(LayerDifference(kExact, {same}, {same, same}),
            "2 results instead of 1");
}

TEST(LayerDifferenceTest, NarrowNumbersAreCompared) {
  const Tensor one = Values({1}).Cast(DType::kBFloat16);
  EXPECT_EQ(LayerDifference(kExact, {one}, {one}), "");
  EXPECT_EQ(
      LayerDifference(kExact, {one}, {Values({1.5f}).Cast(DType::kBFloat16)}),
      "result 0: 1.5 instead of 1 at element 0, more than 0 of the "
      "largest, 1");
}

TEST(LayerDifferenceTest, ANanIsAlwaysWrong) {
  const Tensor nan = Values({NAN});
  EXPECT_NE(LayerDifference(kNorm, {Values({1})}, {nan}), "");
  EXPECT_NE(LayerDifference(kNorm, {nan}, {nan}), "");
}

TEST(LayerDifferenceTest, OtherShapesAndTypesDiffer) {
  EXPECT_EQ(LayerDifference(kExact, {Values({1, 2})}, {Values({1})}),
            "result 0: float32 (1,) instead of float32 (2,)");
  EXPECT_EQ(LayerDifference(kExact, {Values({1})},
                            {Values({1}).Cast(DType::kBFloat16)}),
            "result 0: bfloat16 (1,) instead of float32 (1,)");
}

}  // namespace
}  // namespace lockstep::benchmarks
