#include "reference/layers/zero_padding2d.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

const Tensor kImage = Tensor::FromVector<float>({1, 2}, Shape{1, 1, 2, 1});

TEST(ZeroPadding2DTest, OneNumberIsForAllSides) {
  EXPECT_EQ(ZeroPadding2D()(kImage).ToVector<float>(),
            (Floats{0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0}));
}

TEST(ZeroPadding2DTest, RowsColumnsAndSides) {
  EXPECT_EQ(ZeroPadding2D(Size2D(0, 1))(kImage).ToVector<float>(),
            (Floats{0, 1, 2, 0}));
  const kernels::Pad2DOptions sides{.top = 1, .right = 1};
  EXPECT_EQ(ZeroPadding2D(sides)(kImage).ToVector<float>(),
            (Floats{0, 0, 0, 1, 2, 0}));
}

TEST(ZeroPadding2DTest, NamesShapesAndErrors) {
  ClearSession();
  ZeroPadding2D pad(3);
  EXPECT_EQ(pad.name(), "zero_padding2d");
  EXPECT_EQ(pad.ComputeOutputShape(Shape{kUnknownDim, 224, 224, 3}),
            (Shape{kUnknownDim, 230, 230, 3}));
  EXPECT_THROW(pad(Tensor::Zeros(Shape{2, 3})), Error);
  EXPECT_THROW(pad.ComputeOutputShape(Shape{2, 3}), Error);
  EXPECT_THROW(ZeroPadding2D(-1), Error);
}

}  // namespace
}  // namespace lockstep
