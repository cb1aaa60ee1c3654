#include "reference/kernels/pooling/pool2d.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "reference/kernels/convolution/convolution_oracle.h"
#include "reference/kernels/testing/test_tensors.h"

namespace lockstep::kernels {
namespace {

using Floats = std::vector<float>;

// 0, 1, 2, ... in rows of five.
Tensor Counting() {
  Floats values(25);
  std::iota(values.begin(), values.end(), 0.0f);
  return Tensor::FromVector(values, Shape{1, 5, 5, 1});
}

TEST(AvgPool2DTest, HeaderExample) {
  const Tensor x =
      Tensor::FromVector<float>({1, 2, 5, 4, 3, 6}, Shape{1, 2, 3, 1});
  const Tensor y = AvgPool2D(x, {.strides = {1, 1}});
  EXPECT_EQ(y.shape(), (Shape{1, 1, 2, 1}));
  EXPECT_EQ(y.ToVector<float>(), (Floats{2.5f, 4}));
}

// The corner's window has the elements 0, 1, 5, 6.
TEST(AvgPool2DTest, PaddingDoesNotCount) {
  const AvgPool2DOptions options{{3, 3}, {2, 2}, Padding::kSame};
  EXPECT_EQ(AvgPool2D(Counting(), options).ToVector<float>(),
            (Floats{3, 4.5f, 6, 10.5f, 12, 13.5f, 18, 19.5f, 21}));
  Floats dy(9, 0);
  dy[0] = 4;
  dy[4] = 18;
  const Tensor dx = AvgPool2DBackward(
      Shape{1, 5, 5, 1}, Tensor::FromVector(dy, Shape{1, 3, 3, 1}), options);
  EXPECT_EQ(dx.ToVector<float>(), (Floats{1, 1, 0, 0, 0,  //
                                          1, 3, 2, 2, 0,  //
                                          0, 2, 2, 2, 0,  //
                                          0, 2, 2, 2, 0,  //
                                          0, 0, 0, 0, 0}));
}

TEST(AvgPool2DTest, IgnoresTheRemainder) {
  EXPECT_EQ(AvgPool2D(Counting(), {}).ToVector<float>(),
            (Floats{3, 5, 13, 15}));
}

TEST(AvgPool2DTest, TeamsAgree) {
  const AvgPool2DOptions options{{3, 2}, {2, 1}, Padding::kSame};
  const Tensor x = Fractions(Shape{5, 7, 9, 19}, 1);
  const Tensor y = AvgPool2D(x, options);
  const Tensor dx = AvgPool2DBackward(x.shape(), y, options);
  ForEachTeam([&] {
    EXPECT_TRUE(BitwiseEqual(AvgPool2D(x, options), y));
    EXPECT_TRUE(BitwiseEqual(AvgPool2DBackward(x.shape(), y, options), dx));
  });
}

TEST(AvgPool2DTest, NaNReachesItsWindowsOnly) {
  Tensor x = Counting();
  x.mutable_data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  const Tensor y = AvgPool2D(x, {});
  EXPECT_TRUE(std::isnan(y.at<float>(0)));
  EXPECT_EQ(y.at<float>(1), 5);
}

TEST(AvgPool2DTest, EmptyBatch) {
  const Tensor y = AvgPool2D(Tensor::Empty(Shape{0, 4, 4, 3}), {});
  EXPECT_EQ(y.shape(), (Shape{0, 2, 2, 3}));
  EXPECT_EQ(AvgPool2DBackward(Shape{0, 4, 4, 3}, y, {}).shape(),
            (Shape{0, 4, 4, 3}));
  EXPECT_EQ(AvgPool2D(Tensor::Empty(Shape{3, 4, 4, 0}), {}).num_elements(), 0);
}

TEST(AvgPool2DTest, RefusesWrongArguments) {
  const Tensor x = Tensor::Zeros(Shape{1, 4, 4, 1});
  ExpectInvalid([&] { AvgPool2D(x.Cast(DType::kInt32), {}); }, "float32");
  ExpectInvalid([&] { AvgPool2D(x.Reshape(Shape{4, 4}), {}); }, "rank 4");
  ExpectInvalid([&] { AvgPool2D(x, {.pool = {5, 1}}); }, "does not fit");
  ExpectInvalid(
      [&] {
        AvgPool2DBackward(Shape{1, 6, 4, 1}, x, {});
      },
      "(1, 3, 2, 1)");
}

// <pool(x), dy> = <x, dx>. Sums of at most 16 numbers below 4, each weight
// rounded once: the error is far below 1e-3 for a few thousand elements.
RC_GTEST_PROP(AvgPool2DTest, BackwardIsTheTranspose, ()) {
  const auto dim = [](int low, int high) {
    return static_cast<int64_t>(*rc::gen::inRange(low, high));
  };
  AvgPool2DOptions options;
  options.pool = {dim(1, 4), dim(1, 4)};
  options.strides = {dim(1, 4), dim(1, 4)};
  options.padding = *rc::gen::element(Padding::kValid, Padding::kSame);
  const Tensor x =
      SmallIntegers(Shape{dim(0, 4), dim(3, 9), dim(3, 9), dim(1, 20)}, 1);
  const Tensor y = AvgPool2D(x, options);
  const Tensor dy = SmallIntegers(y.shape(), 2);
  const Tensor dx = AvgPool2DBackward(x.shape(), dy, options);
  RC_ASSERT(std::abs(Dot(y, dy) - Dot(x, dx)) < 1e-3);
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

void CheckAgainstOracle(const Tensor& x, const MaxPool2DOptions& options) {
  const auto got = MaxPool2D(x, options);
  const auto wanted = oracle::MaxPool2D(x.Cast(DType::kFloat64), options);
  ExpectExact(got.y, wanted.y);
  EXPECT_EQ(got.argmax.Cast(DType::kInt64).ToVector<int64_t>(),
            wanted.argmax.ToVector<int64_t>());
  const Tensor dy = SmallIntegers(got.y.shape(), 2);
  ExpectExact(MaxPool2DBackward(x.shape(), got.argmax, dy, options),
              oracle::MaxPool2DBackward(x.shape(), wanted.argmax, dy, options));
}

TEST(MaxPool2DTest, HeaderExample) {
  const Tensor x =
      Tensor::FromVector<float>({1, 2, 5, 4, 3, 6}, Shape{1, 2, 3, 1});
  const auto result = MaxPool2D(x, {.strides = {1, 1}});
  EXPECT_EQ(result.y.shape(), (Shape{1, 1, 2, 1}));
  EXPECT_EQ(result.y.ToVector<float>(), (std::vector<float>{4, 6}));
  EXPECT_EQ(result.argmax.ToVector<uint8_t>(), (std::vector<uint8_t>{2, 3}));
}

TEST(MaxPool2DTest, EqualsTheOracle) {
  const std::vector<std::pair<Shape, MaxPool2DOptions>> cases{
      {{3, 6, 6, 5}, {}},
      {{2, 6, 7, 35}, {}},
      {{2, 9, 10, 35}, {{3, 3}, {2, 2}, Padding::kValid}},
      {{2, 9, 10, 35}, {{3, 3}, {2, 2}, Padding::kSame}},
      {{2, 9, 9, 19}, {{3, 3}, {3, 3}, Padding::kValid}},
      {{7, 11, 11, 64}, {}},
      {{5, 7, 9, 3}, {{3, 2}, {2, 1}, Padding::kSame}},
      {{2, 5, 5, 17}, {{3, 3}, {1, 1}, Padding::kSame}},
      {{2, 17, 16, 2}, {{17, 16}, {1, 1}, Padding::kValid}},
      {{1, 4, 4, 1}, {{1, 1}, {3, 2}, Padding::kValid}}};
  for (const auto& [shape, options] : cases) {
    SCOPED_TRACE(ToString(shape));
    const auto check = [&] {
      CheckAgainstOracle(SmallIntegers(shape, 1), options);
    };
    ForEachTeam(check);
    ForEachInstructionSet(check);
  }
}

TEST(MaxPool2DTest, LargeWindowsUseInt32) {
  const auto small = MaxPool2D(Tensor::Zeros(Shape{1, 15, 17, 1}),
                               {.pool = {15, 17}, .strides = {1, 1}});
  EXPECT_EQ(small.argmax.dtype(), DType::kUInt8);
  Tensor x = Tensor::Zeros(Shape{1, 16, 16, 1});
  x.mutable_data<float>()[255] = 1;
  const MaxPool2DOptions options{.pool = {16, 16}, .strides = {1, 1}};
  const auto large = MaxPool2D(x, options);
  EXPECT_EQ(large.argmax.dtype(), DType::kInt32);
  EXPECT_EQ(large.argmax.item<int32_t>(), 255);
  const Tensor dx = MaxPool2DBackward(
      x.shape(), large.argmax, Tensor::Full(large.y.shape(), 5.0f), options);
  EXPECT_EQ(dx.at<float>(255), 5);
}

TEST(MaxPool2DTest, FirstOfEqualsWins) {
  const auto result = MaxPool2D(Tensor::Full(Shape{1, 2, 2, 1}, -3.0f), {});
  EXPECT_EQ(result.y.item<float>(), -3);
  EXPECT_EQ(result.argmax.item<uint8_t>(), 0);
}

TEST(MaxPool2DTest, NaNWinsOverInfinity) {
  const Tensor x =
      Tensor::FromVector<float>({kInfinity, kNaN, 1, kNaN}, Shape{1, 2, 2, 1});
  const auto result = MaxPool2D(x, {});
  EXPECT_TRUE(std::isnan(result.y.item<float>()));
  EXPECT_EQ(result.argmax.item<uint8_t>(), 1);
}

// A window of `pool` x `pool` and its right neighbours, in 19 channels. One
// element of one channel is NaN, and infinities are around it.
void CheckNaN(int64_t pool, int64_t place, int64_t channel) {
  Tensor x = Tensor::Full(Shape{1, pool, 2 * pool, 19}, -kInfinity);
  x.mutable_data<float>()[19] = kInfinity;  // in channel 0
  const int64_t pixel = place / pool * 2 * pool + place % pool;
  x.mutable_data<float>()[pixel * 19 + channel] = kNaN;
  const MaxPool2DOptions options{.pool = {pool, pool}, .strides = {pool, pool}};
  const auto result = MaxPool2D(x, options);
  for (int64_t c = 0; c < 2 * 19; ++c) {
    if (c == channel) {
      EXPECT_TRUE(std::isnan(result.y.at<float>(c)));
      EXPECT_EQ(result.argmax.at<uint8_t>(c), place);
    } else {
      EXPECT_EQ(result.y.at<float>(c), c == 0 ? kInfinity : -kInfinity);
      EXPECT_EQ(result.argmax.at<uint8_t>(c), c == 0 ? 1 : 0);
    }
  }
}

TEST(MaxPool2DTest, NaNWinsAnywhere) {
  ForEachInstructionSet([] {
    for (const int64_t pool : {2, 3, 4}) {
      for (int64_t place = 0; place < pool * pool; ++place) {
        for (const int64_t channel : {0, 7, 18}) CheckNaN(pool, place, channel);
      }
    }
  });
}

TEST(MaxPool2DTest, PaddingNeverWins) {
  const Tensor x = Tensor::Full(Shape{1, 3, 3, 1}, -kInfinity);
  const auto result = MaxPool2D(x, {.padding = Padding::kSame});
  for (const float value : result.y.span<float>()) {
    EXPECT_EQ(value, -kInfinity);
  }
}

TEST(MaxPool2DTest, EmptyBatch) {
  const auto result = MaxPool2D(Tensor::Empty(Shape{0, 4, 4, 3}), {});
  EXPECT_EQ(result.y.shape(), (Shape{0, 2, 2, 3}));
  const Tensor dx =
      MaxPool2DBackward(Shape{0, 4, 4, 3}, result.argmax, result.y, {});
  EXPECT_EQ(dx.shape(), (Shape{0, 4, 4, 3}));
}

TEST(MaxPool2DTest, RefusesWrongArguments) {
  const Tensor x = Tensor::Zeros(Shape{1, 4, 4, 1});
  ExpectInvalid([&] { MaxPool2D(x.Cast(DType::kInt32), {}); }, "float32");
  ExpectInvalid([&] { MaxPool2D(x.Reshape(Shape{4, 4}), {}); }, "rank 4");
  ExpectInvalid([&] { MaxPool2D(x, {.pool = {5, 1}}); }, "does not fit");
  const auto result = MaxPool2D(x, {});
  ExpectInvalid(
      [&] {
        MaxPool2DBackward(Shape{1, 6, 4, 1}, result.argmax, result.y, {});
      },
      "(1, 3, 2, 1)");
}

RC_GTEST_PROP(MaxPool2DTest, EqualsTheOracleForAnyShape, ()) {
  const auto dim = [](int low, int high) {
    return static_cast<int64_t>(*rc::gen::inRange(low, high));
  };
  MaxPool2DOptions options;
  options.pool = {dim(1, 4), dim(1, 4)};
  options.strides = {dim(1, 4), dim(1, 4)};
  options.padding = *rc::gen::element(Padding::kValid, Padding::kSame);
  CheckAgainstOracle(
      SmallIntegers(Shape{dim(0, 4), dim(3, 9), dim(3, 9), dim(1, 35)}, 1),
      options);
  RC_ASSERT(!testing::Test::HasFailure());
}

}  // namespace
}  // namespace lockstep::kernels
