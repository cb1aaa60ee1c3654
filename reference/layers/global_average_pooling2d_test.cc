#include "reference/layers/global_average_pooling2d.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

// Two images of 2 x 2 positions and two channels.
const Tensor kImages = Tensor::FromVector<float>(
    {1, 10, 2, 20, 3, 30, 6, 40, 0, 0, 0, 0, 4, -8, 0, 0}, Shape{2, 2, 2, 2});

TEST(GlobalAveragePooling2DTest, IsTheMeanOfEachChannel) {
  GlobalAveragePooling2D pool;
  const Tensor y = pool(kImages);
  EXPECT_EQ(y.shape(), (Shape{2, 2}));
  EXPECT_EQ(y.ToVector<float>(), (Floats{3, 25, 1, -2}));
}

TEST(GlobalAveragePooling2DTest, KeepsAxesWhenAskedTo) {
  GlobalAveragePooling2D pool({.keepdims = true});
  EXPECT_EQ(pool(kImages).shape(), (Shape{2, 1, 1, 2}));
  EXPECT_EQ(pool.ComputeOutputShape(Shape{kUnknownDim, 7, 7, 2048}),
            (Shape{kUnknownDim, 1, 1, 2048}));
}

TEST(GlobalAveragePooling2DTest, EveryPositionGetsItsPartOfTheGradient) {
  GlobalAveragePooling2D pool;
  GradientTape tape;
  tape.Watch(kImages);
  const auto gradient =
      tape.Gradient(pool(kImages), std::vector<Tensor>{kImages});
  EXPECT_EQ(gradient[0]->ToVector<float>(), Floats(16, 0.25f));
}

TEST(GlobalAveragePooling2DTest, NamesShapesAndErrors) {
  ClearSession();
  GlobalAveragePooling2D pool;
  EXPECT_EQ(pool.name(), "global_average_pooling2d");
  EXPECT_EQ(pool.ComputeOutputShape(Shape{kUnknownDim, 7, 7, 2048}),
            (Shape{kUnknownDim, 2048}));
  EXPECT_EQ(pool(Tensor::Empty(Shape{0, 3, 3, 4})).shape(), (Shape{0, 4}));
  EXPECT_THROW(pool(Tensor::Zeros(Shape{2, 3, 4})), Error);
}

}  // namespace
}  // namespace lockstep
