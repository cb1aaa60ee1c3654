#include "reference/export/keras/layer_registry.h"

#include <utility>

#include "reference/base/error.h"
#include "reference/export/keras/config_reader.h"
#include "reference/export/keras/preprocessing_layers.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/transformer/dropout.h"
#include "reference/layers/transformer/embedding.h"
#include "reference/layers/transformer/layer_normalization.h"
#include "reference/layers/transformer/multi_head_attention.h"

namespace lockstep {

void LayerRegistry::Add(const std::string& class_name, Maker maker) {
  makers_[class_name] = std::move(maker);
}

Layer LayerRegistry::Make(ConfigReader& config) const {
  const auto found = makers_.find(config.class_name());
  if (found == makers_.end()) {
    throw Unimplemented(
        "[LoadModel] '{}' is of the class {}, which has no maker (add one with "
        "LayerRegistry::Add)",
        config.name(), config.class_name());
  }
  const DTypePolicyScope policy(config.Policy());
  Layer layer = found->second(config);
  config.CheckAllRead();
  return layer;
}

namespace {

Size2D SizeAt(ConfigReader& config, const std::string& key) {
  const auto [rows, columns] = config.Pair(key);
  return {rows, columns};
}

Padding PaddingAt(ConfigReader& config) {
  const std::string name = config.Text("padding", "valid");
  if (name == "valid") return Padding::kValid;
  if (name == "same") return Padding::kSame;
  throw Unimplemented("[LoadModel] '{}' has the padding '{}'", config.name(),
                      name);
}

Activation ActivationAt(ConfigReader& config) {
  const Json* value = config.Find("activation");
  if (value == nullptr || value->is_null()) return Activation::kLinear;
  return ParseActivation(config.Text("activation", ""));
}

Layer MakeDense(ConfigReader& config) {
  return Dense(
      config.Integer("units"),
      {.activation = ActivationAt(config),
       .use_bias = config.Flag("use_bias", true),
       .kernel_regularizer = config.RegularizerAt("kernel_regularizer"),
       .bias_regularizer = config.RegularizerAt("bias_regularizer"),
       .name = config.name()});
}

Layer MakeConv2D(ConfigReader& config) {
  return Conv2D(
      config.Integer("filters"), SizeAt(config, "kernel_size"),
      {.strides =
           config.Find("strides") ? SizeAt(config, "strides") : Size2D(1),
       .padding = PaddingAt(config),
       .activation = ActivationAt(config),
       .use_bias = config.Flag("use_bias", true),
       .kernel_regularizer = config.RegularizerAt("kernel_regularizer"),
       .bias_regularizer = config.RegularizerAt("bias_regularizer"),
       .name = config.name()});
}

template <typename Pooling>
Layer MakePooling(ConfigReader& config) {
  const Json* strides = config.Find("strides");
  Pooling2DOptions options = {.padding = PaddingAt(config),
                              .name = config.name()};
  if (strides != nullptr && !strides->is_null()) {
    options.strides = SizeAt(config, "strides");
  }
  return Pooling(SizeAt(config, "pool_size"), options);
}

Layer MakeZeroPadding2D(ConfigReader& config) {
  // Keras writes both sides of both axes.
  const Json* padding = config.Find("padding");
  const auto is_pair = [](const Json& pair) {
    return pair.is_array() && pair.size() == 2 && IntegerIn(pair[0]) &&
           IntegerIn(pair[1]);
  };
  if (padding == nullptr || !padding->is_array() || padding->size() != 2 ||
      !is_pair((*padding)[0]) || !is_pair((*padding)[1])) {
    throw InvalidArgument("[LoadModel] '{}': padding must be two pairs",
                          config.name());
  }
  const Json &rows = (*padding)[0], &columns = (*padding)[1];
  return ZeroPadding2D(kernels::Pad2DOptions{.top = *IntegerIn(rows[0]),
                                             .bottom = *IntegerIn(rows[1]),
                                             .left = *IntegerIn(columns[0]),
                                             .right = *IntegerIn(columns[1])},
                       config.name());
}

// A number, or a list of one, as in Keras 2. Default: the last axis.
int AxisAt(ConfigReader& config) {
  const Json* axis = config.Find("axis");
  if (axis == nullptr) return -1;
  const bool listed = axis->is_array() && axis->size() == 1 &&
                      axis->front().is_number_integer();
  return listed ? axis->front().get<int>()
                : static_cast<int>(config.Integer("axis"));
}

Layer MakeBatchNormalization(ConfigReader& config) {
  return BatchNormalization(
      {.axis = AxisAt(config),
       .momentum = config.Number("momentum", 0.99),
       .epsilon = config.Number("epsilon", 1e-3),
       .center = config.Flag("center", true),
       .scale = config.Flag("scale", true),
       .synchronized = config.Flag("synchronized", false),
       .beta_regularizer = config.RegularizerAt("beta_regularizer"),
       .gamma_regularizer = config.RegularizerAt("gamma_regularizer"),
       .name = config.name()});
}

Layer MakeConcatenate(ConfigReader& config) {
  return Concatenate(AxisAt(config), config.name());
}

Layer MakeGlobalAveragePooling2D(ConfigReader& config) {
  return GlobalAveragePooling2D(
      {.keepdims = config.Flag("keepdims", false), .name = config.name()});
}

Layer MakeActivation(ConfigReader& config) {
  return ActivationLayer(ActivationAt(config), config.name());
}

Layer MakeDropout(ConfigReader& config) {
  return Dropout(config.Number("rate", 0.5),
                 {.seed = config.FindInteger("seed"), .name = config.name()});
}

Layer MakeEmbedding(ConfigReader& config) {
  return Embedding(
      config.Integer("input_dim"), config.Integer("output_dim"),
      {.embeddings_regularizer = config.RegularizerAt("embeddings_regularizer"),
       .name = config.name()});
}

Layer MakeMultiHeadAttention(ConfigReader& config) {
  if (config.Number("dropout", 0) != 0) {
    throw Unimplemented("[LoadModel] '{}' has dropout of attention scores",
                        config.name());
  }
  const MultiHeadAttentionOptions options = {
      .value_dim = config.FindInteger("value_dim"),
      .use_bias = config.Flag("use_bias", true),
      .kernel_regularizer = config.RegularizerAt("kernel_regularizer"),
      .bias_regularizer = config.RegularizerAt("bias_regularizer"),
      .name = config.name()};
  return MultiHeadAttention(config.Integer("num_heads"),
                            config.Integer("key_dim"), options);
}

Layer MakeLayerNormalization(ConfigReader& config) {
  return LayerNormalization(
      {.epsilon = config.Number("epsilon", 1e-3),
       .center = config.Flag("center", true),
       .scale = config.Flag("scale", true),
       .beta_regularizer = config.RegularizerAt("beta_regularizer"),
       .gamma_regularizer = config.RegularizerAt("gamma_regularizer"),
       .name = config.name()});
}

// A layer without settings; CheckAllRead refuses others, such as `max_value`.
template <typename Plain>
Layer MakePlain(ConfigReader& config) {
  return Plain(config.name());
}

LayerRegistry MakeKerasLayers() {
  LayerRegistry registry;
  registry.Add("Activation", MakeActivation);
  registry.Add("Add", MakePlain<Add>);
  registry.Add("AveragePooling2D", MakePooling<AveragePooling2D>);
  registry.Add("BatchNormalization", MakeBatchNormalization);
  registry.Add("Concatenate", MakeConcatenate);
  registry.Add("Conv2D", MakeConv2D);
  registry.Add("Dense", MakeDense);
  registry.Add("Dropout", MakeDropout);
  registry.Add("Embedding", MakeEmbedding);
  registry.Add("Flatten", MakePlain<Flatten>);
  registry.Add("GlobalAveragePooling2D", MakeGlobalAveragePooling2D);
  registry.Add("LayerNormalization", MakeLayerNormalization);
  registry.Add("MaxPooling2D", MakePooling<MaxPooling2D>);
  registry.Add("Multiply", MakePlain<Multiply>);
  registry.Add("MultiHeadAttention", MakeMultiHeadAttention);
  registry.Add("ReLU", MakePlain<ReLU>);
  registry.Add("ZeroPadding2D", MakeZeroPadding2D);
  export_internal::AddPreprocessingLayers(registry);
  export_internal::AddWordLayers(registry);
  return registry;
}

}  // namespace

const LayerRegistry& KerasLayers() {
  static const auto* registry = new LayerRegistry(MakeKerasLayers());
  return *registry;
}

}  // namespace lockstep
