#include "reference/layers/max_pooling2d.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

const Tensor kImage =
    Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}, Shape{1, 3, 3, 1});

TEST(MaxPooling2DTest, StridesAreThePoolSizeUnlessGiven) {
  EXPECT_EQ(MaxPooling2D()(kImage).ToVector<float>(), (Floats{5}));
  EXPECT_EQ(MaxPooling2D(2, {.strides = 1})(kImage).ToVector<float>(),
            (Floats{5, 6, 8, 9}));
  EXPECT_EQ(MaxPooling2D(2, {.padding = kernels::Padding::kSame})(kImage)
                .ToVector<float>(),
            (Floats{5, 6, 8, 9}));
  EXPECT_EQ(MaxPooling2D({3, 1})(kImage).ToVector<float>(), (Floats{7, 8, 9}));
}

TEST(MaxPooling2DTest, ComputesItsOutputShape) {
  EXPECT_EQ(MaxPooling2D().ComputeOutputShape(Shape{kUnknownDim, 26, 27, 32}),
            (Shape{kUnknownDim, 13, 13, 32}));
  EXPECT_THROW(MaxPooling2D().ComputeOutputShape(Shape{1, 26, 26}), Error);
}

TEST(MaxPooling2DTest, WrongArgumentsAreInvalid) {
  EXPECT_THROW(MaxPooling2D(0), Error);
  EXPECT_THROW(MaxPooling2D(2, {.strides = 0}), Error);
  EXPECT_THROW(MaxPooling2D(4)(kImage), Error);
}

}  // namespace
}  // namespace lockstep
