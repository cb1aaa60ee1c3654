#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "reference/kernels/elementwise/binary.h"
#include "reference/kernels/reduction/reduce.h"
#include "reference/kernels/reduction/weighted_sums.h"
#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

Tensor Cube() {  // 0..23 as [2, 3, 4]
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 24; ++i) values.push_back(i);
  return Tensor::FromVector<int64_t>(values, Shape{2, 3, 4});
}

TEST(ReduceTest, SumsOverAnyAxes) {
  const Tensor x = Cube();
  using Wanted = std::vector<int64_t>;
  EXPECT_EQ(ReduceSum(x).item<int64_t>(), 276);
  EXPECT_EQ(ReduceSum(x, std::array{0}).ToVector<int64_t>(),
            (Wanted{12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34}));
  EXPECT_EQ(ReduceSum(x, std::array{2}).ToVector<int64_t>(),
            (Wanted{6, 22, 38, 54, 70, 86}));
  EXPECT_EQ(ReduceSum(x, std::array{0, 2}).ToVector<int64_t>(),
            (Wanted{60, 92, 124}));
  EXPECT_EQ(ReduceSum(x, std::array{-2}).ToVector<int64_t>(),
            (Wanted{12, 15, 18, 21, 48, 51, 54, 57}));
  EXPECT_EQ(ReduceSum(x, std::span<const int>()).ToVector<int64_t>(),
            x.ToVector<int64_t>());
}

TEST(ReduceTest, KeptDimensionsAreOne) {
  const Tensor x = Cube();
  EXPECT_EQ(ReduceSum(x, std::array{0, 2}, true).shape(), (Shape{1, 3, 1}));
  EXPECT_EQ(ReduceSum(x, std::array{0, 1, 2}, true).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(ReduceSum(x).shape(), Shape{});
}

TEST(ReduceTest, MeansOfIntegersAreFloat64) {
  const Tensor x = Tensor::FromVector<int32_t>({1, 2, 4, 5}, Shape{2, 2});
  EXPECT_EQ(ReduceMean(x).item<double>(), 3);
  EXPECT_EQ(ReduceMean(x, std::array{1}).ToVector<double>(),
            (std::vector<double>{1.5, 4.5}));
  EXPECT_EQ(ReduceMean(Tensor::FromVector<float>({1, 2})).item<float>(), 1.5);
}

TEST(ReduceTest, FloatSumsRoundOnce) {
  // In a sequential float32 sum the ones would be lost.
  std::vector<float> values(1001, 1.0f);
  values[0] = 0x1p24f;
  const Tensor x = Tensor::FromVector<float>(values);
  EXPECT_EQ(ReduceSum(x).item<float>(), 0x1p24f + 1000);
  EXPECT_EQ(ReduceSum(x.Reshape(Shape{1001, 1}), std::array{0}).at<float>(0),
            0x1p24f + 1000);
}

TEST(ReduceTest, TeamsAgree) {
  const Tensor x = Fractions(Shape{100003}, 1).Cast(DType::kFloat64);
  const Tensor alone = ReduceSum(x);
  ForEachTeam([&] { EXPECT_TRUE(BitwiseEqual(ReduceSum(x), alone)); });
}

TEST(ReduceTest, EmptyTensors) {
  const Tensor x = Tensor::Empty(Shape{0, 3});
  EXPECT_EQ(ReduceSum(x).item<float>(), 0);
  EXPECT_TRUE(std::isnan(ReduceMean(x).item<float>()));
  EXPECT_EQ(ReduceSum(x, std::array{0}).ToVector<float>(),
            (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(ReduceSum(x, std::array{1}).shape(), (Shape{0}));
  EXPECT_TRUE(std::isnan(
      ReduceMean(x.Cast(DType::kInt64), std::array{0}).at<double>(2)));
}

TEST(ReduceTest, IntegersWrapAround) {
  const Tensor x = Tensor::Full<int32_t>(Shape{2}, 1 << 30);
  EXPECT_EQ(ReduceSum(x).item<int32_t>(), -(1 << 30) * 2);
}

TEST(ReduceTest, RefusesWrongArguments) {
  const Tensor x = Tensor::Zeros(Shape{2, 2});
  ExpectInvalid([&] { ReduceSum(x, std::array{2}); },
                "[ReduceSum] axis 2 does not exist in rank 2");
  ExpectInvalid([&] { ReduceMean(x, std::array{0, -2}); }, "named twice");
  ExpectInvalid([&] { ReduceSum(x.Cast(DType::kBool)); }, "got bool");
  ExpectInvalid([&] { ReduceMean(Tensor()); }, "no tensor");
}

TEST(SumToShapeTest, SumsBroadcastAxes) {
  const Tensor x = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
  EXPECT_EQ(SumToShape(x, Shape{2}).ToVector<float>(),
            (std::vector<float>{4, 6}));
  const Tensor column = SumToShape(x, Shape{2, 1});
  EXPECT_EQ(column.shape(), (Shape{2, 1}));
  EXPECT_EQ(column.ToVector<float>(), (std::vector<float>{3, 7}));
  EXPECT_EQ(SumToShape(x, Shape{}).item<float>(), 10);
  EXPECT_EQ(SumToShape(x, Shape{1, 1}).shape(), (Shape{1, 1}));
}

TEST(SumToShapeTest, SameShapeCopiesNothing) {
  const Tensor x = Tensor::Zeros(Shape{2, 2});
  EXPECT_TRUE(SumToShape(x, x.shape()).SharesMemoryWith(x));
}

TEST(SumToShapeTest, RefusesWhatDoesNotBroadcast) {
  const Tensor x = Tensor::Zeros(Shape{2, 2});
  ExpectInvalid([&] { SumToShape(x, Shape{3}); }, "do not broadcast");
  ExpectInvalid([&] { SumToShape(x, Shape{2, 2, 2}); }, "[SumToShape]");
}

// <BroadcastTo(a), b> = <a, SumToShape(b)>.
RC_GTEST_PROP(SumToShapeTest, IsTheTransposeOfBroadcastTo, ()) {
  const int rank = *rc::gen::inRange(0, 5);
  std::vector<int64_t> large, small;
  for (int i = 0; i < rank; ++i) {
    large.push_back(*rc::gen::inRange(1, 5));
    small.push_back(*rc::gen::arbitrary<bool>() ? 1 : large.back());
  }
  const int dropped = *rc::gen::inRange(0, rank + 1);
  small.erase(small.begin(), small.begin() + dropped);
  const Tensor a = SmallIntegers(Shape(small), 1);
  const Tensor b = SmallIntegers(Shape(large), 2);
  RC_ASSERT(Dot(BroadcastTo(a, b.shape()), b) ==
            Dot(a, SumToShape(b, a.shape())));
}

using Indices = std::vector<int64_t>;

TEST(ArgMaxTest, AlongAnyAxisOfAnyType) {
  const Tensor x = Tensor::FromVector<int64_t>({1, 3, 2, 5, 5, 4}, Shape{2, 3});
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt32,
                            DType::kInt64, DType::kUInt8}) {
    EXPECT_EQ(ArgMax(x.Cast(dtype), 1).ToVector<int64_t>(), (Indices{1, 0}));
    EXPECT_EQ(ArgMax(x.Cast(dtype), -2).ToVector<int64_t>(),
              (Indices{1, 1, 1}));
  }
  EXPECT_EQ(ArgMax(x.Reshape(Shape{6}), 0).item<int64_t>(), 3);
}

TEST(ArgMaxTest, FirstNaNIsLargest) {
  const Tensor x =
      Tensor::FromVector<float>({1, std::nanf(""), 9, std::nanf("")});
  EXPECT_EQ(ArgMax(x, 0).item<int64_t>(), 1);
}

TEST(ArgMaxTest, EmptyRows) {
  EXPECT_EQ(ArgMax(Tensor::Empty(Shape{0, 3}), 1).shape(), (Shape{0}));
  ExpectInvalid(
      [] {
        ArgMax(Tensor::Empty(Shape{0, 3}), 0);
      },
      "has no elements");
}

TEST(ArgMaxTest, RefusesWrongArguments) {
  ExpectInvalid([] { ArgMax(Tensor::Zeros(Shape{2}), 1); }, "axis 1");
  ExpectInvalid([] { ArgMax(Tensor::Scalar(1.0f), 0); }, "axis 0");
  ExpectInvalid([] { ArgMax(Tensor::Zeros(Shape{2}, DType::kBool), 0); },
                "must hold numbers");
}

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

// 2^24 + 1 is not a float32 number: with rounding after each element every 1
// would be lost.
TEST(WeightedSumsTest, RoundsOnce) {
  const Tensor values = Tensor::FromVector<float>({0x1p24f, 1, 1, 1, 1});
  EXPECT_EQ(WeightedSums(values, Tensor(), 1).at<float>(0), 0x1p24f + 4);
}

// Above the threshold: a hit, a false alarm; not above it: a miss, and nothing.
TEST(WeightedSumsTest, ConfusionSums) {
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
      "labels must be 0 or 1, got 2");
}

}  // namespace
}  // namespace lockstep::kernels
