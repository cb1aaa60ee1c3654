#include "reference/layers/conv2d.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"
#include "reference/regularizers/l2.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

const Tensor kImage =
    Tensor::FromVector<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}, Shape{1, 3, 3, 1});

TEST(Conv2DTest, MakesKerasVariables) {
  ClearSession();
  Conv2D first(32, 3), second(64, {3, 2});
  EXPECT_EQ(first.name(), "conv2d");
  second.Build(Shape{kUnknownDim, 13, 13, 32});
  const auto variables = second.trainable_variables();
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0]->name(), "conv2d_1/kernel");
  EXPECT_EQ(variables[0]->shape(), (Shape{3, 2, 32, 64}));
  EXPECT_EQ(variables[1]->name(), "conv2d_1/bias");
  EXPECT_EQ(variables[1]->Read().ToVector<float>(), Floats(64, 0));
  ASSERT_EQ(second.children().size(), 2u);
  EXPECT_EQ(second.children()[0].name, "_kernel");
  EXPECT_EQ(second.children()[1].name, "bias");
}

TEST(Conv2DTest, ComputesByHand) {
  Conv2D conv(1, 2,
              {.kernel_initializer = initializers::Ones(),
               .bias_initializer = initializers::Constant(-20)});
  EXPECT_EQ(conv(kImage).ToVector<float>(), (Floats{-8, -4, 4, 8}));
  Conv2D relu(1, 2,
              {.activation = Activation::kRelu,
               .kernel_initializer = initializers::Ones(),
               .bias_initializer = initializers::Constant(-20)});
  EXPECT_EQ(relu(kImage).ToVector<float>(), (Floats{0, 0, 4, 8}));
  Conv2D softmax(1, 2, {.activation = Activation::kSoftmax});
  EXPECT_EQ(softmax(kImage).ToVector<float>(), Floats(4, 1));
}

TEST(Conv2DTest, ShapesFollowStridesAndPadding) {
  const Shape input{kUnknownDim, 28, 27, 1};
  EXPECT_EQ(Conv2D(32, 3).ComputeOutputShape(input),
            (Shape{kUnknownDim, 26, 25, 32}));
  EXPECT_EQ(
      Conv2D(32, 3, {.padding = Padding::kSame}).ComputeOutputShape(input),
      (Shape{kUnknownDim, 28, 27, 32}));
  EXPECT_EQ(Conv2D(8, 3, {.strides = {2, 3}}).ComputeOutputShape(input),
            (Shape{kUnknownDim, 13, 9, 8}));
}

TEST(Conv2DTest, WithoutBias) {
  Conv2D conv(1, 2,
              {.use_bias = false, .kernel_initializer = initializers::Ones()});
  EXPECT_EQ(conv(kImage).ToVector<float>(), (Floats{12, 16, 24, 28}));
  EXPECT_EQ(conv.variables().size(), 1u);
  EXPECT_EQ(conv.children().size(), 1u);
}

TEST(Conv2DTest, AnEmptyBatchIsFine) {
  Conv2D conv(4, 3);
  EXPECT_EQ(conv(Tensor::Zeros(Shape{0, 8, 8, 2})).shape(),
            (Shape{0, 6, 6, 4}));
}

TEST(Conv2DTest, WrongArgumentsAreInvalid) {
  EXPECT_THROW(Conv2D(0, 3), Error);
  EXPECT_THROW(Conv2D(1, {3, 0}), Error);
  EXPECT_THROW(Conv2D(1, 3, {.strides = 0}), Error);
  Conv2D conv(1, 3);
  EXPECT_THROW(conv(Tensor::Zeros(Shape{2, 5})), Error);
  EXPECT_THROW(conv(Tensor::Zeros(Shape{2, 2, 2, 1})), Error);
  EXPECT_FALSE(conv.built());
}

TEST(Conv2DTest, PenaltiesOfKernelAndBias) {
  Conv2D conv(1, 2,
              {.kernel_initializer = initializers::Ones(),
               .bias_initializer = initializers::Constant(3),
               .kernel_regularizer = std::make_shared<L2>(0.5),
               .bias_regularizer = std::make_shared<L2>(1)});
  EXPECT_TRUE(conv.losses().empty());
  conv(kImage);
  const auto losses = conv.losses();
  ASSERT_EQ(losses.size(), 2u);
  EXPECT_EQ(losses[0].item<float>(), 2);
  EXPECT_EQ(losses[1].item<float>(), 9);
}

}  // namespace
}  // namespace lockstep
