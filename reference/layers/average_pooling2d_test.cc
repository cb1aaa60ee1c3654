#include "reference/layers/average_pooling2d.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

const Tensor kImage =
    Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}, Shape{1, 3, 3, 1});

TEST(AveragePooling2DTest, StridesAreThePoolSizeUnlessGiven) {
  EXPECT_EQ(AveragePooling2D(2)(kImage).ToVector<float>(), (Floats{3}));
  EXPECT_EQ(AveragePooling2D(2, {.strides = 1})(kImage).ToVector<float>(),
            (Floats{3, 4, 6, 7}));
  EXPECT_EQ(AveragePooling2D(2, {.padding = kernels::Padding::kSame})(kImage)
                .ToVector<float>(),
            (Floats{3, 4.5f, 7.5f, 9}));
  EXPECT_EQ(AveragePooling2D({3, 1})(kImage).ToVector<float>(),
            (Floats{4, 5, 6}));
}

TEST(AveragePooling2DTest, NamesAndShapes) {
  ClearSession();
  const AveragePooling2D pool(2);
  EXPECT_EQ(pool.name(), "average_pooling2d");
  EXPECT_EQ(pool.ComputeOutputShape(Shape{kUnknownDim, 26, 27, 32}),
            (Shape{kUnknownDim, 13, 13, 32}));
  EXPECT_THROW(pool.ComputeOutputShape(Shape{1, 26, 26}), Error);
}

TEST(AveragePooling2DTest, WrongArgumentsAreInvalid) {
  EXPECT_THROW(AveragePooling2D(0), Error);
  EXPECT_THROW(AveragePooling2D(2, {.strides = 0}), Error);
  EXPECT_THROW(AveragePooling2D(4)(kImage), Error);
}

}  // namespace
}  // namespace lockstep
