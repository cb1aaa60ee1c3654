// Expected values: Keras 3.15.1's get_config, without the keys that
// layer_config.h leaves out.
#include "reference/layers/layer_config.h"

#include <gtest/gtest.h>

#include <memory>

#include "reference/base/error_testing.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"

namespace lockstep {
namespace {

// Checks the common part of a layer's config and returns the rest.
Json OwnConfig(const Layer& layer, const char* class_name) {
  LayerConfig config = layer.impl().Config();
  EXPECT_EQ(config.class_name, class_name);
  EXPECT_EQ(config.config["name"], layer.name());
  EXPECT_EQ(config.config["trainable"], true);
  EXPECT_EQ(config.config["dtype"], Json::parse(R"({
    "module": "keras", "class_name": "DTypePolicy",
    "config": {"name": "float32"}, "registered_name": null})"));
  for (const char* key : {"name", "trainable", "dtype"}) {
    config.config.erase(key);
  }
  return config.config;
}

TEST(LayerConfigTest, Dense) {
  const Dense dense(3, {.activation = Activation::kRelu,
                        .kernel_regularizer = std::make_shared<L2>(0.1)});
  EXPECT_EQ(OwnConfig(dense, "Dense"), Json::parse(R"({
    "units": 3, "activation": "relu", "use_bias": true,
    "kernel_regularizer": {"module": "keras.regularizers", "class_name": "L2",
                           "config": {"l2": 0.1}, "registered_name": null},
    "bias_regularizer": null})"));
}

TEST(LayerConfigTest, Conv2D) {
  const Conv2D conv(4, {3, 2},
                    {.padding = Padding::kSame,
                     .use_bias = false,
                     .bias_regularizer = std::make_shared<L1>(0.5)});
  EXPECT_EQ(OwnConfig(conv, "Conv2D"), Json::parse(R"({
    "filters": 4, "kernel_size": [3, 2], "strides": [1, 1],
    "padding": "same", "activation": "linear", "use_bias": false,
    "kernel_regularizer": null,
    "bias_regularizer": {"module": "keras.regularizers", "class_name": "L1",
                         "config": {"l1": 0.5}, "registered_name": null}})"));
}

TEST(LayerConfigTest, LayersOfImages) {
  EXPECT_EQ(OwnConfig(MaxPooling2D(), "MaxPooling2D"), Json::parse(R"({
    "pool_size": [2, 2], "padding": "valid", "strides": [2, 2]})"));
  const AveragePooling2D average({2, 3}, {.padding = Padding::kSame});
  EXPECT_EQ(OwnConfig(average, "AveragePooling2D"), Json::parse(R"({
    "pool_size": [2, 3], "padding": "same", "strides": [2, 3]})"));
  EXPECT_EQ(OwnConfig(GlobalAveragePooling2D(), "GlobalAveragePooling2D"),
            Json::parse(R"({"keepdims": false})"));
  const ZeroPadding2D padding(
      kernels::Pad2DOptions{.top = 1, .bottom = 2, .left = 3, .right = 4});
  EXPECT_EQ(OwnConfig(padding, "ZeroPadding2D"),
            Json::parse(R"({"padding": [[1, 2], [3, 4]]})"));
}

TEST(LayerConfigTest, OtherLayers) {
  EXPECT_EQ(OwnConfig(Flatten(), "Flatten"), Json::object());
  EXPECT_EQ(OwnConfig(Add(), "Add"), Json::object());
  EXPECT_EQ(OwnConfig(Concatenate(), "Concatenate"),
            Json::parse(R"({"axis": -1})"));
  EXPECT_EQ(OwnConfig(ActivationLayer(Activation::kSoftmax), "Activation"),
            Json::parse(R"({"activation": "softmax"})"));
  EXPECT_EQ(OwnConfig(ReLU(), "ReLU"), Json::parse(R"({
    "max_value": null, "negative_slope": 0.0, "threshold": 0.0})"));
  EXPECT_EQ(OwnConfig(BatchNormalization(), "BatchNormalization"),
            Json::parse(R"({"axis": -1, "momentum": 0.99, "epsilon": 0.001,
                            "center": true, "scale": true, "beta_regularizer": null,
                            "gamma_regularizer": null,
                            "synchronized": false})"));
}

TEST(LayerConfigTest, LayerWithItsOwnPolicy) {
  const Dense dense(1, {.dtype = "mixed_bfloat16"});
  EXPECT_EQ(dense.impl().Config().config["dtype"]["config"]["name"],
            "mixed_bfloat16");
}

class ShiftImpl : public DenseImpl {
 public:
  ShiftImpl() : DenseImpl(1, {.name = "shift"}) {}
};

class HalvingL2 : public Regularizer {
 public:
  Tensor operator()(const Tensor& weight) const override { return weight; }
};

TEST(LayerConfigTest, UserDefinedClassIsUnimplemented) {
  ExpectError([] { MakeLayer<ShiftImpl>().impl().Config(); },
              Code::kUnimplemented, "'shift'");
  const Dense dense(1, {.bias_regularizer = std::make_shared<HalvingL2>()});
  ExpectError([&] { dense.impl().Config(); }, Code::kUnimplemented,
              "regularizer");
}

}  // namespace
}  // namespace lockstep
