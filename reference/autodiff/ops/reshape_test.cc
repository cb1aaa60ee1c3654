#include "reference/autodiff/ops/reshape.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/ops/arithmetic.h"
#include "reference/autodiff/ops/gradient_check.h"
#include "reference/autodiff/ops/gradient_of.h"
#include "reference/base/error.h"

namespace lockstep::ops {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

const Tensor kX = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{1, 2, 3});

TEST(ReshapeTest, TheGradientGetsTheOldShape) {
  const Tensor w = Tensor::FromVector<float>({1, 2, 3, 4, 5, 6}, Shape{3, 2});
  const Tensor d = GradientOf(
      [&] {
        return Multiply(Reshape(kX, Shape{3, 2}), w);
      },
      kX);
  EXPECT_EQ(d.shape(), kX.shape());
  EXPECT_EQ(d.ToVector<float>(), w.ToVector<float>());
  EXPECT_TRUE(Reshape(kX, Shape{6}).SharesMemoryWith(kX));
  EXPECT_THROW(Reshape(kX, Shape{5}), Error);
}

TEST(ReshapeTest, FlattenKeepsTheBatchAxis) {
  EXPECT_EQ(Flatten(kX).shape(), (Shape{1, 6}));
  EXPECT_EQ(Flatten(Tensor::Zeros(Shape{0, 5, 5, 64})).shape(),
            (Shape{0, 1600}));
  EXPECT_EQ(Flatten(Tensor::Zeros(Shape{4})).shape(), (Shape{4, 1}));
  EXPECT_EQ(GradientOf([] { return Flatten(kX); }, kX).shape(), kX.shape());
  EXPECT_THROW(Flatten(Tensor::Scalar(1.0f)), Error);
}

TEST(ReshapeTest, CastsBackAndForth) {
  const Tensor d = GradientOf([] { return Cast(kX, DType::kFloat64); }, kX);
  EXPECT_EQ(d.dtype(), DType::kFloat32);
  EXPECT_EQ(d.ToVector<float>(), Floats(6, 1));
  EXPECT_EQ(Cast(kX, DType::kFloat32).id(), kX.id());
}

TEST(ReshapeTest, StopGradientCutsTheWay) {
  // d/dx of x * stop(x) is x, not 2 x.
  EXPECT_EQ(GradientOf([] { return Multiply(kX, StopGradient(kX)); }, kX)
                .ToVector<float>(),
            kX.ToVector<float>());
}

}  // namespace
}  // namespace lockstep::ops
