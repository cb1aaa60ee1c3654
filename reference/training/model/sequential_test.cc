// Models as layers: copies, nested models, casts and fusion.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/dtype_policy.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/initializers.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_config.h"
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

TEST(SequentialTest, LayersCastAndNotTheModel) {
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

// Configs of models in files. Expected values are from Keras 3.15.1's get_config.

Json LayerNames(const Json& layers) {
  Json names = Json::array();
  for (const Json& layer : layers) names.push_back(layer["config"]["name"]);
  return names;
}

TEST(ModelConfigTest, SequentialSaysItsInput) {
  const Sequential model({Dense(2, {.name = "d"})}, "s");
  EXPECT_EQ(model.impl().Config().config.contains("build_input_shape"), false);
  model.Build(Shape{kUnknownDim, 3});
  const Json config = model.impl().Config().config;
  EXPECT_EQ(config["build_input_shape"], Json::parse("[null, 3]"));
  EXPECT_EQ(config["layers"].size(), 2u);
  EXPECT_EQ(config["layers"][0], Json::parse(R"({
    "module": "keras.layers", "class_name": "InputLayer",
    "config": {"batch_shape": [null, 3], "dtype": "float32",
               "name": "input_layer"}, "registered_name": null})"));
  EXPECT_EQ(config["layers"][1]["config"]["name"], "d");
}

TEST(ModelConfigTest, FunctionalSaysItsCalls) {
  const SymbolicTensor i = Input({4}, "i"), j = Input({3}, "j");
  const Dense d(3, {.name = "d"});
  const SymbolicTensor b = lockstep::Add("b")({d(i), j});
  const SymbolicTensor c = d(Dense(4, {.name = "e"})(b));
  const Sequential inner({Input({3}, "k"), Dense(2, {.name = "f"})}, "inner");
  const Model model({i, j}, {c, inner(b)}, "m");
  const LayerConfig config = model.impl().Config();
  EXPECT_EQ(config.class_name, "Functional");
  const Json& layers = config.config["layers"];
  EXPECT_EQ(LayerNames(layers),
            Json::parse(R"(["i", "d", "j", "b", "e", "inner"])"));
  EXPECT_EQ(layers[0]["inbound_nodes"], Json::array());
  EXPECT_EQ(layers[1]["inbound_nodes"], Json::parse(R"([
    {"args": [{"class_name": "__keras_tensor__",
               "config": {"shape": [null, 4], "dtype": "float32",
                          "keras_history": ["i", 0, 0]}}], "kwargs": {}},
    {"args": [{"class_name": "__keras_tensor__",
               "config": {"shape": [null, 4], "dtype": "float32",
                          "keras_history": ["e", 0, 0]}}], "kwargs": {}}])"));
  EXPECT_EQ(layers[3]["inbound_nodes"], Json::parse(R"([
    {"args": [[{"class_name": "__keras_tensor__",
                "config": {"shape": [null, 3], "dtype": "float32",
                           "keras_history": ["d", 0, 0]}},
               {"class_name": "__keras_tensor__",
                "config": {"shape": [null, 3], "dtype": "float32",
                           "keras_history": ["j", 0, 0]}}]],
     "kwargs": {}}])"));
  EXPECT_EQ(layers[5]["module"], "keras");
  EXPECT_EQ(LayerNames(layers[5]["config"]["layers"]),
            Json::parse(R"(["k", "f"])"));
  EXPECT_EQ(config.config["input_layers"],
            Json::parse(R"([["i", 0, 0], ["j", 0, 0]])"));
  EXPECT_EQ(config.config["output_layers"],
            Json::parse(R"([["d", 1, 0], ["inner", 0, 0]])"));
  EXPECT_EQ(LayerObject(model.impl())["module"], "keras.src.models.functional");
}

TEST(ModelTest, ASummaryIsATableOfLayers) {
  ClearSession();
  Sequential model({Conv2D(32, 3), MaxPooling2D(), Flatten(), Dense(10)},
                   "small");
  EXPECT_NE(model.Summary().find("Not built yet"), std::string::npos);
  model.Build(Shape{kUnknownDim, 28, 28, 1});
  EXPECT_EQ(model.Summary(),
            "Model: \"small\"\n"
            "---------------------------------------------------------------\n"
            " Layer (type)                  Output shape        Parameters\n"
            "---------------------------------------------------------------\n"
            " conv2d (Conv2D)               (None, 26, 26, 32)         320\n"
            " max_pooling2d (MaxPooling2D)  (None, 13, 13, 32)           0\n"
            " flatten (Flatten)             (None, 5408)                 0\n"
            " dense (Dense)                 (None, 10)              54,090\n"
            "---------------------------------------------------------------\n"
            " All parameters: 54,410 (212.54 KB)\n"
            " Trained parameters: 54,410 (212.54 KB)\n"
            " Other parameters: 0 (0.00 B)\n");
}

TEST(ModelTest, WeightsHaveNames) {
  const Sequential model({Input({2}), Dense(1, {.name = "d"})});
  model.SetWeights(
      {{"d/kernel", Tensor::FromVector<float>({2, 3}, Shape{2, 1})}});
  auto weights = model.Weights();
  ASSERT_EQ(weights.size(), 2u);
  EXPECT_EQ(weights["d/kernel"].ToVector<float>(), (std::vector<float>{2, 3}));
  EXPECT_EQ(weights["d/bias"].ToVector<float>(), std::vector<float>{0});
  weights["d/kernel"] = Tensor::Zeros({1, 2});
  weights["d/bias"] = Tensor::Full(Shape{1}, 5.0f);
  ExpectError([&] { model.SetWeights(weights); }, Code::kInvalidArgument,
              "'d/kernel' must be float32 (2, 1), got float32 (1, 2)");
  ExpectError(
      [&] {
        model.SetWeights({{"e", Tensor::Zeros({1})}});
      },
      Code::kNotFound, "no weight 'e'");
  EXPECT_EQ(model.Weights()["d/bias"].item<float>(), 0);
}

}  // namespace
}  // namespace lockstep
