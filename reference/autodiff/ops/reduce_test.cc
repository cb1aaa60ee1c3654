#include "reference/autodiff/ops/reduce.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/gradient_of.h"
#include "reference/base/error.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

const Tensor kX =
    Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8}, Shape{2, 4});
const Tensor kColumns = Tensor::FromVector<float>({1, 2, 3, 4});

TEST(ReduceTest, OfEverything) {
  EXPECT_EQ(ReduceSum(kX).item<float>(), 36);
  EXPECT_EQ(ReduceMean(kX).item<float>(), 4.5);
  EXPECT_EQ(GradientOf([] { return ReduceSum(kX); }, kX).ToVector<float>(),
            Floats(8, 1));
  EXPECT_EQ(GradientOf([] { return ReduceMean(kX); }, kX).ToVector<float>(),
            Floats(8, 0.125));
}

TEST(ReduceTest, TheGradientGoesBackAlongTheAxis) {
  const auto weighted = [](const Tensor& y) { return Multiply(y, kColumns); };
  EXPECT_EQ(
      GradientOf([&] { return weighted(ReduceSum(kX, std::array{0})); }, kX)
          .ToVector<float>(),
      (Floats{1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_EQ(
      GradientOf([&] { return weighted(ReduceMean(kX, std::array{-2})); }, kX)
          .ToVector<float>(),
      (Floats{0.5, 1, 1.5, 2, 0.5, 1, 1.5, 2}));
}

TEST(ReduceTest, NegativeAxesCountFromTheEnd) {
  const Tensor cube = kX.Reshape(Shape{2, 2, 2});
  const Tensor pairs = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{2, 2});
  const auto weighted = [&](const Tensor& y) { return Multiply(y, pairs); };
  EXPECT_EQ(ReduceSum(cube, std::array{-1}).ToVector<float>(),
            (Floats{3, 7, 11, 15}));
  EXPECT_EQ(GradientOf(
                [&] { return weighted(ReduceSum(cube, std::array{-1})); }, cube)
                .ToVector<float>(),
            (Floats{1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(GradientOf(
                [&] { return weighted(ReduceSum(cube, std::array{-3})); }, cube)
                .ToVector<float>(),
            (Floats{1, 2, 3, 4, 1, 2, 3, 4}));
  const Tensor both = ReduceMean(cube, std::array{-1, 0}, true);
  EXPECT_EQ(both.shape(), (Shape{1, 2, 1}));
  EXPECT_EQ(both.ToVector<float>(), (Floats{3.5, 5.5}));
  EXPECT_THROW(ReduceSum(cube, std::array{-4}), Error);
}

TEST(ReduceTest, KeptAxesChangeTheShapeOnly) {
  const Tensor y = ReduceSum(kX, std::array{1}, true);
  EXPECT_EQ(y.shape(), (Shape{2, 1}));
  const Tensor rows = Tensor::FromVector<float>({1, 10}, Shape{2, 1});
  EXPECT_EQ(
      GradientOf(
          [&] { return Multiply(ReduceMean(kX, std::array{1}, true), rows); },
          kX)
          .ToVector<float>(),
      (Floats{.25, .25, .25, .25, 2.5, 2.5, 2.5, 2.5}));
}

TEST(ReduceTest, NothingAndScalars) {
  const Tensor empty = Tensor::Zeros(Shape{0, 3});
  EXPECT_EQ(ReduceSum(empty).item<float>(), 0);
  EXPECT_EQ(GradientOf([&] { return ReduceSum(empty); }, empty).shape(),
            (Shape{0, 3}));
  EXPECT_EQ(GradientOf([&] { return ReduceMean(empty, std::array{1}); }, empty)
                .shape(),
            (Shape{0, 3}));
  const Tensor scalar = Tensor::Scalar(3.0f);
  EXPECT_EQ(
      GradientOf([&] { return ReduceMean(scalar); }, scalar).item<float>(), 1);
  EXPECT_THROW(ReduceSum(kX, std::array{2}), Error);
}

}  // namespace
}  // namespace lockstep::ops
