#include "reference/layers/dtype_policy.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error_testing.h"
#include "reference/layers/conv2d.h"
#include "reference/layers/dense.h"
#include "reference/layers/flatten.h"
#include "reference/layers/input_layer.h"
#include "reference/layers/max_pooling2d.h"
#include "reference/layers/sequential.h"

namespace lockstep {
namespace {

TEST(DTypePolicyTest, TheDocumentedNames) {
  const DTypePolicy plain("float32"), bf16("mixed_bfloat16"),
      f16("mixed_float16");
  EXPECT_EQ(plain.compute_dtype(), DType::kFloat32);
  EXPECT_EQ(bf16.compute_dtype(), DType::kBFloat16);
  EXPECT_EQ(f16.compute_dtype(), DType::kFloat16);
  for (const DTypePolicy& policy : {plain, bf16, f16}) {
    EXPECT_EQ(policy.variable_dtype(), DType::kFloat32);
  }
  EXPECT_EQ(f16.name(), "mixed_float16");
  EXPECT_EQ(CodeOf([] { DTypePolicy("mixed_float8"); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { DTypePolicy("bfloat16"); }), Code::kUnimplemented);
}

TEST(DTypePolicyTest, LayersFollowTheGlobalOneUnlessTheyHaveTheirOwn) {
  const Dense before(1);
  const DTypePolicyScope scope("mixed_float16");
  EXPECT_EQ(GetDTypePolicy().name(), "mixed_float16");
  EXPECT_EQ(Dense(1).dtype_policy().name(), "mixed_float16");
  EXPECT_EQ(Dense(1, {.dtype = "float32"}).dtype_policy().name(), "float32");
  EXPECT_EQ(before.dtype_policy().name(), "float32");
}

TEST(DTypePolicyTest, InputsWeightsAndOutputsAreRoundedToTheComputeType) {
  // 1 + 2^-8 rounds to 1 in bfloat16, and 1 + 3 * 2^-8 to 1 + 2^-6.
  Dense dense(1, {.kernel_initializer = initializers::Constant(1.01171875f),
                  .dtype = "mixed_bfloat16"});
  const Tensor x = Tensor::Full(Shape{1, 1}, 1.00390625f);
  GradientTape tape;
  const Tensor y = dense(x);
  EXPECT_EQ(y.dtype(), DType::kBFloat16);
  EXPECT_EQ(ToString(y), "[[1.015625]]");
  const auto d = tape.Gradient(y, dense.variables());
  EXPECT_EQ(d[0]->dtype(), DType::kFloat32);
  EXPECT_EQ(d[0]->item<float>(), 1);
  EXPECT_EQ(dense.variables()[0]->Read().item<float>(), 1.01171875f);
}

TEST(DTypePolicyTest, IntegersAreLeftAlone) {
  const DTypePolicyScope scope("mixed_bfloat16");
  Flatten flatten;
  EXPECT_EQ(flatten(Tensor::Zeros(Shape{1, 2}, DType::kInt32)).dtype(),
            DType::kInt32);
  EXPECT_EQ(flatten(Tensor::Zeros(Shape{1, 2}, DType::kFloat64)).dtype(),
            DType::kBFloat16);
}

TEST(DTypePolicyTest, AModelLeavesTheCastToItsLayers) {
  const DTypePolicyScope scope("mixed_bfloat16");
  const auto first = std::make_shared<Dense>(
      1, DenseOptions{.kernel_initializer = initializers::Constant(1.0f),
                      .dtype = "float32",
                      .name = "first"});
  Sequential model({Input({1}), first});
  const Tensor x = Tensor::Full(Shape{1, 1}, 1.00390625f);
  EXPECT_EQ(ToString(model(x)), "[[1.0039062]]");
}

// A fused pair gives the type of its parts; a mixed one is not fused.
TEST(DTypePolicyTest, ConvolutionAndPoolInOneKernelOrTwo) {
  const auto conv = [](const char* policy) {
    return std::make_shared<Conv2D>(
        1, 1,
        Conv2DOptions{.activation = Activation::kRelu,
                      .kernel_initializer = initializers::Constant(1.0f),
                      .dtype = policy,
                      .name = "conv"});
  };
  const Tensor x = Tensor::Full(Shape{1, 2, 2, 1}, 1.00390625f);
  {
    const DTypePolicyScope scope("mixed_bfloat16");
    Sequential model(
        {conv("mixed_bfloat16"), std::make_shared<MaxPooling2D>()});
    EXPECT_EQ(model(x).dtype(), DType::kBFloat16);
    Sequential mixed({conv("float32"), std::make_shared<MaxPooling2D>()});
    EXPECT_EQ(mixed(x).dtype(), DType::kBFloat16);
  }
  Sequential back({conv("mixed_bfloat16"), std::make_shared<MaxPooling2D>()});
  EXPECT_EQ(back(x).dtype(), DType::kFloat32);
  EXPECT_EQ(back(x).item<float>(), 1);
}

}  // namespace
}  // namespace lockstep
