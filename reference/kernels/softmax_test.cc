#include "reference/kernels/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "reference/kernels/test_tensors.h"

namespace lockstep::kernels {
namespace {

TEST(SoftmaxTest, KnownRowsWithoutOverflow) {
  const Tensor x =
      Tensor::FromVector<float>({0, 0, 1000, 0, -1000, -1000}, Shape{3, 2});
  EXPECT_EQ(Softmax(x).ToVector<float>(),
            (std::vector<float>{0.5, 0.5, 1, 0, 0.5, 0.5}));
  const double third = std::log(3.0);
  const Tensor y = Softmax(Tensor::FromVector<double>({0, third}));
  EXPECT_DOUBLE_EQ(y.at<double>(0), 0.25);
  EXPECT_DOUBLE_EQ(y.at<double>(1), 0.75);
}

TEST(SoftmaxTest, NonFiniteRows) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor y = Softmax(Tensor::FromVector<float>(
      {std::nanf(""), 1, -infinity, 0, infinity, 0}, Shape{3, 2}));
  EXPECT_TRUE(std::isnan(y.at<float>(0)) && std::isnan(y.at<float>(1)));
  EXPECT_EQ(y.at<float>(2), 0);
  EXPECT_EQ(y.at<float>(3), 1);
  EXPECT_TRUE(std::isnan(y.at<float>(4)));
}

TEST(SoftmaxTest, GradientByHand) {
  const Tensor y = Tensor::FromVector<float>({0.25, 0.75});
  const Tensor dy = Tensor::FromVector<float>({1, 5});
  // dot = 4: 0.25 * (1 - 4), 0.75 * (5 - 4).
  EXPECT_EQ(SoftmaxBackward(y, dy).ToVector<float>(),
            (std::vector<float>{-0.75, 0.75}));
}

TEST(SoftmaxTest, RowsAreIndependentOnEveryTeam) {
  const Tensor x = Fractions(Shape{3, 700, 9}, 1);
  const Tensor alone = Softmax(x);
  const Tensor row = Softmax(x.Row(1).Row(5));
  ForEachTeam([&] {
    EXPECT_TRUE(BitwiseEqual(Softmax(x), alone));
    EXPECT_TRUE(BitwiseEqual(alone.Row(1).Row(5), row));
    EXPECT_TRUE(BitwiseEqual(SoftmaxBackward(alone, x).Row(2),
                             SoftmaxBackward(alone.Row(2), x.Row(2))));
  });
}

TEST(SoftmaxTest, EmptyTensors) {
  EXPECT_EQ(Softmax(Tensor::Empty(Shape{0, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(Softmax(Tensor::Empty(Shape{3, 0})).shape(), (Shape{3, 0}));
}

TEST(SoftmaxTest, RefusesWhatDoesNotFit) {
  ExpectInvalid([] { Softmax(Tensor::Scalar(1.0f)); }, "must have an axis");
  ExpectInvalid([] { Softmax(Tensor::Zeros(Shape{2}, DType::kInt32)); },
                "float32 or float64");
  const Tensor y = Tensor::Zeros(Shape{2});
  ExpectInvalid([&] { SoftmaxBackward(y, Tensor::Zeros(Shape{3})); }, "agree");
}

}  // namespace
}  // namespace lockstep::kernels
