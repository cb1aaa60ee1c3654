#include "reference/kernels/avg_pool2d.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

using Floats = std::vector<float>;

// 0, 1, 2, ... in rows of five.
Tensor Counting() {
  Floats values(25);
  std::iota(values.begin(), values.end(), 0.0f);
  return Tensor::FromVector(values, Shape{1, 5, 5, 1});
}

TEST(AvgPool2DTest, ExampleOfTheHeader) {
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

TEST(AvgPool2DTest, ARestBehindTheLastWindowIsLeftOut) {
  EXPECT_EQ(AvgPool2D(Counting(), {}).ToVector<float>(),
            (Floats{3, 5, 13, 15}));
}

TEST(AvgPool2DTest, EveryTeamAndInstructionSetGivesTheSameBits) {
  const AvgPool2DOptions options{{3, 2}, {2, 1}, Padding::kSame};
  const Tensor x = Fractions(Shape{5, 7, 9, 19}, 1);
  const Tensor y = AvgPool2D(x, options);
  const Tensor dx = AvgPool2DBackward(x.shape(), y, options);
  const auto check = [&] {
    EXPECT_TRUE(BitwiseEqual(AvgPool2D(x, options), y));
    EXPECT_TRUE(BitwiseEqual(AvgPool2DBackward(x.shape(), y, options), dx));
  };
  ForEachTeam(check);
  ForEachInstructionSet(check);
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
}

TEST(AvgPool2DTest, RefusesWhatDoesNotFit) {
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

// <pool(x), dy> = <x, dx>. Sums of at most 16 numbers below 4 with weights of
// one rounding each: far below 1e-3 for some thousand elements.
RC_GTEST_PROP(AvgPool2DTest, BackwardIsTheTransposeOfForward, ()) {
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

}  // namespace
}  // namespace lockstep::kernels
