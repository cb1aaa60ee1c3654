#include "reference/kernels/pad2d.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

using Floats = std::vector<float>;

TEST(Pad2DTest, ExampleOfTheHeader) {
  const Tensor x = Tensor::FromVector<float>({1, 2}, Shape{1, 1, 2, 1});
  const Pad2DOptions options{.top = 1, .right = 1};
  const Tensor y = Pad2D(x, options);
  EXPECT_EQ(y.shape(), (Shape{1, 2, 3, 1}));
  EXPECT_EQ(y.ToVector<float>(), (Floats{0, 0, 0, 1, 2, 0}));
  EXPECT_EQ(Pad2DBackward(y, options).ToVector<float>(), (Floats{1, 2}));
}

TEST(Pad2DTest, EachSideHasItsOwnNumber) {
  const Tensor x =
      Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8}, Shape{2, 1, 2, 2});
  const Pad2DOptions options{.top = 0, .bottom = 1, .left = 2, .right = 0};
  const Tensor y = Pad2D(x, options);
  EXPECT_EQ(y.shape(), (Shape{2, 2, 4, 2}));
  EXPECT_EQ(y.ToVector<float>(), (Floats{0, 0, 0, 0, 1, 2, 3, 4,  //
                                         0, 0, 0, 0, 0, 0, 0, 0,  //
                                         0, 0, 0, 0, 5, 6, 7, 8,  //
                                         0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(BitwiseEqual(Pad2DBackward(y, options), x));
}

TEST(Pad2DTest, TheRimsGradientIsLost) {
  const Tensor dy =
      Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}, Shape{1, 3, 3, 1});
  const Tensor dx = Pad2DBackward(dy, {1, 1, 1, 1});
  EXPECT_EQ(dx.shape(), (Shape{1, 1, 1, 1}));
  EXPECT_EQ(dx.item<float>(), 5);
}

TEST(Pad2DTest, EveryTeamAndTypeKeepsTheElements) {
  const Pad2DOptions options{1, 2, 3, 4};
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kUInt8}) {
    const Tensor x = SmallIntegers(Shape{5, 3, 4, 3}, 1).Cast(dtype);
    ForEachTeam([&] {
      EXPECT_TRUE(BitwiseEqual(Pad2DBackward(Pad2D(x, options), options), x));
    });
  }
}

TEST(Pad2DTest, NothingToPad) {
  const Tensor none = Pad2D(Tensor::Empty(Shape{0, 2, 2, 1}), {1, 1, 1, 1});
  EXPECT_EQ(none.shape(), (Shape{0, 4, 4, 1}));
  const Tensor thin = Pad2D(Tensor::Empty(Shape{1, 1, 0, 1}), {.left = 2});
  EXPECT_EQ(thin.ToVector<float>(), (Floats{0, 0}));
}

TEST(Pad2DTest, RefusesWhatDoesNotFit) {
  const Tensor x = Tensor::Zeros(Shape{1, 2, 2, 1});
  ExpectInvalid([&] { Pad2D(x.Reshape(Shape{4}), {}); }, "rank 4");
  ExpectInvalid([&] { Pad2D(x, {.left = -1}); }, "got 0, 0, -1, 0");
  ExpectInvalid([&] { Pad2DBackward(x, {.top = 3}); },
                "dy (1, 2, 2, 1) is smaller than its padding of 3 x 0");
}

}  // namespace
}  // namespace lockstep::kernels
