#include "reference/layers/transformer/layer_normalization.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/base/error_testing.h"
#include "reference/layers/layer_config.h"

namespace lockstep {
namespace {

Initializer Values(const std::vector<float>& values) {
  return [values](const Shape& shape, Random&) {
    return Tensor::FromVector(values, shape);
  };
}

void ExpectFloats(const Tensor& tensor, const std::vector<float>& expected) {
  const std::vector<float> got = tensor.ToVector<float>();
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], 2e-6 * (1 + std::abs(expected[i])))
        << "element " << i;
  }
}

// Figures from Keras 3.15.1.
TEST(LayerNormalizationTest, EqualsKeras) {
  const LayerNormalization layer({.beta_initializer = Values({0, -1, 3}),
                                  .gamma_initializer = Values({1, 2, .5f})});
  const Tensor x = Tensor::FromVector<float>(
      {1, 2, 4, -1, 0, .5f, 3, 3, 3, 10, -20, 5}, Shape{4, 3});
  const Tensor factors = Tensor::FromVector<float>(
      {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, Shape{4, 3});
  layer.Build(x.shape());
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = layer(x);
  ExpectFloats(
      y, {-1.06870151f, -1.53435063f, 3.66793823f, -1.33459127f, -0.466163456f,
          3.53383636f, 0, -1, 3, 0.88899827f, -3.79399467f, 3.25399947f});
  const std::vector<GradientSource> sources = {x, layer.variables()[0],
                                               layer.variables()[1]};
  const Gradients gradients = tape.Gradient(y * factors, sources);
  ExpectFloats(*gradients[0],
               {-0.973257124f, 1.45992875f, -0.486671627f, -2.28884888f,
                6.86380672f, -4.57495975f, -68.5160065f, 216.088959f,
                -147.572937f, 0.221222967f, 0.0442489386f, -0.265471876f});
  ExpectFloats(*gradients[1], {2.48291588f, -14.5667295f, 16.5096588f});
  ExpectFloats(*gradients[2], {22, 26, 30});
}

TEST(LayerNormalizationTest, MakesKerasVariables) {
  const LayerNormalization layer({.name = "norm"});
  layer.Build(Shape{kUnknownDim, 5, 4});
  const auto variables = layer.trainable_variables();
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0]->name(), "norm/gamma");
  EXPECT_EQ(variables[1]->name(), "norm/beta");
  EXPECT_EQ(variables[1]->shape(), (Shape{4}));
  EXPECT_EQ(layer.trackable()->children()[0].name, "gamma");
  EXPECT_EQ(layer.trackable()->children()[1].name, "beta");
  const LayerNormalization plain({.center = false, .scale = false});
  const Tensor x = Tensor::FromVector<float>({1, 3}, Shape{1, 2});
  ExpectFloats(plain(x), {-0.9995004f, 0.9995004f});
  EXPECT_TRUE(plain.variables().empty());
}

TEST(LayerNormalizationTest, NormalizesNarrowTypesInFloat32) {
  const LayerNormalization layer({.dtype = DTypePolicy("mixed_bfloat16")});
  const Tensor x = Tensor::FromVector<float>({256, 257, 258, 259}, Shape{1, 4})
                       .Cast(DType::kBFloat16);
  const Tensor y = layer(x);
  EXPECT_EQ(y.dtype(), DType::kBFloat16);
  const Tensor wide = LayerNormalization()(x.Cast(DType::kFloat32));
  EXPECT_TRUE(BitwiseEqual(y, wide.Cast(DType::kBFloat16)));
}

TEST(LayerNormalizationTest, RefusesWrongArguments) {
  const LayerNormalization layer;
  EXPECT_EQ(CodeOf([&] { layer(Tensor::Zeros(Shape{3})); }),
            Code::kInvalidArgument);
  layer(Tensor::Zeros(Shape{2, 3}));
  EXPECT_EQ(CodeOf([&] {
              layer(Tensor::Zeros(Shape{2, 4}));
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] {
              layer(Tensor::Zeros(Shape{2, 3}, DType::kInt32));
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { LayerNormalization({.epsilon = -1}); }),
            Code::kInvalidArgument);
}

TEST(LayerNormalizationTest, Config) {
  Json config = LayerNormalization({.scale = false}).impl().Config().config;
  for (const char* key : {"name", "trainable", "dtype"}) config.erase(key);
  EXPECT_EQ(config, Json::parse(R"({
    "axis": [-1], "epsilon": 0.001, "center": true, "scale": false,
    "beta_regularizer": null, "gamma_regularizer": null})"));
}

}  // namespace
}  // namespace lockstep
