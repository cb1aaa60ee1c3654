#include "reference/autodiff/ops/pad2d.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/gradient_of.h"

namespace lockstep::ops {
namespace {

TEST(Pad2DTest, GradientsAreThoseOfDifferences) {
  const Tensor x =
      Tensor::FromVector<double>({0.5, -0.25, 0.75, 1}, Shape{1, 2, 2, 1});
  const auto pad = [](const Tensor& t) { return Pad2D(t, {1, 0, 0, 1}); };
  EXPECT_LT(GradientError(pad, x), kGradientTolerance);
}

TEST(Pad2DTest, TheRimsGradientIsLost) {
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{1, 1, 2, 1});
  const Tensor weights =
      Tensor::FromVector<float>({5, 6, 7}, Shape{1, 1, 3, 1});
  const Tensor dx =
      GradientOf([&] { return Multiply(Pad2D(x, {.left = 1}), weights); }, x);
  EXPECT_EQ(dx.ToVector<float>(), (std::vector<float>{6, 7}));
}

}  // namespace
}  // namespace lockstep::ops
