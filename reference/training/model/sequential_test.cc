// Models as layers: copies, models in models, and what they leave to their
// layers.

#include <gtest/gtest.h>

#include <vector>

#include "reference/layers/core_layers.h"
#include "reference/layers/dtype_policy.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/training/model/model.h"

namespace lockstep {
namespace {

TEST(SequentialTest, ACopyIsTheSameLayer) {
  const Dense dense(3);
  const Sequential one({dense}), two({Flatten(), dense});
  const Layer copy = one;
  copy.Build(Shape{kUnknownDim, 4});
  EXPECT_TRUE(one.built());
  EXPECT_TRUE(dense.built());
  EXPECT_EQ(one.variables(), dense.variables());
  two.Build(Shape{kUnknownDim, 2, 2});
  EXPECT_EQ(two.variables(), dense.variables());
}

// As in Keras; a copy of the only layer would stand for the same model.
TEST(SequentialTest, TheOnlyModelInAListIsNested) {
  const Sequential inner({Dense(2), Dense(3)});
  for (const Sequential& outer :
       {Sequential({inner}), Sequential({inner}, "outer"),
        Sequential(std::vector<Layer>{inner})}) {
    ASSERT_EQ(outer.layers().size(), 1u);
    EXPECT_EQ(&outer.layers()[0].impl(), &inner.impl());
  }
  const Sequential copy(inner);
  EXPECT_EQ(&copy.impl(), &inner.impl());
}

TEST(SequentialTest, AModelLeavesTheCastToItsLayers) {
  const DTypePolicyScope scope("mixed_bfloat16");
  const auto first =
      Dense(1, DenseOptions{.kernel_initializer = initializers::Constant(1.0f),
                            .dtype = "float32",
                            .name = "first"});
  Sequential model({Input({1}), first});
  const Tensor x = Tensor::Full(Shape{1, 1}, 1.00390625f);
  EXPECT_EQ(ToString(model(x)), "[[1.0039062]]");
}

// A fused pair gives the type of its parts; a mixed one is not fused.
TEST(SequentialTest, ConvolutionAndPoolInOneKernelOrTwo) {
  const auto conv = [](const char* policy) {
    return Conv2D(
        1, 1,
        Conv2DOptions{.activation = Activation::kRelu,
                      .kernel_initializer = initializers::Constant(1.0f),
                      .dtype = policy,
                      .name = "conv"});
  };
  const Tensor x = Tensor::Full(Shape{1, 2, 2, 1}, 1.00390625f);
  {
    const DTypePolicyScope scope("mixed_bfloat16");
    Sequential model({conv("mixed_bfloat16"), MaxPooling2D()});
    EXPECT_EQ(model(x).dtype(), DType::kBFloat16);
    Sequential mixed({conv("float32"), MaxPooling2D()});
    EXPECT_EQ(mixed(x).dtype(), DType::kBFloat16);
  }
  Sequential back({conv("mixed_bfloat16"), MaxPooling2D()});
  EXPECT_EQ(back(x).dtype(), DType::kFloat32);
  EXPECT_EQ(back(x).item<float>(), 1);
}

}  // namespace
}  // namespace lockstep
