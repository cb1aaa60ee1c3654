#include "benchmarks/workloads/bert/encoder.h"

#include "benchmarks/workloads/built_layers.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/layers/initializers.h"

namespace lockstep::benchmarks {
namespace {

constexpr double kDeviation = 0.02;  // of the first weights, as published
constexpr double kEpsilon = 1e-12;   // of normalizations

Initializer FirstWeights() {
  return initializers::TruncatedNormal(0, kDeviation);
}

Dense MakeDense(int64_t inputs, int64_t outputs, Activation activation) {
  return Built(Dense(outputs, {.activation = activation,
                               .kernel_initializer = FirstWeights()}),
               Shape{kUnknownDim, inputs});
}

Embedding MakeTable(int64_t rows, const BertModel& model) {
  return Built(
      Embedding(rows, model.hidden, {.embeddings_initializer = FirstWeights()}),
      Shape{kUnknownDim});
}

LayerNormalization MakeNorm(const BertModel& model) {
  return Built(LayerNormalization({.epsilon = kEpsilon}),
               Shape{kUnknownDim, model.hidden});
}

MultiHeadAttention MakeAttention(const BertModel& model) {
  const Shape rows{kUnknownDim, model.length, model.hidden};
  return Built(
      MultiHeadAttention(
          model.heads, model.hidden / model.heads,
          {.use_key_mask = true, .kernel_initializer = FirstWeights()}),
      ShapeStructure::Tuple({rows, rows, Shape{kUnknownDim, model.length}}));
}

}  // namespace

EncoderLayer::EncoderLayer(const BertModel& model)
    : attention_(MakeAttention(model)),
      after_attention_(MakeNorm(model)),
      inner_(MakeDense(model.hidden, model.inner, Activation::kGeluTanh)),
      outer_(MakeDense(model.inner, model.hidden, Activation::kLinear)),
      after_network_(MakeNorm(model)) {}

Tensor EncoderLayer::operator()(const Tensor& x, const Tensor& mask) const {
  const Tensor seen = attention_(Structure::Tuple({x, x, mask}));
  const Tensor y = after_attention_(ops::Add(x, seen));
  return after_network_(ops::Add(y, outer_(inner_(y))));
}

std::vector<Layer> EncoderLayer::Layers() const {
  return {attention_, after_attention_, inner_, outer_, after_network_};
}

BertNetwork::BertNetwork(const BertModel& model)
    : words_(MakeTable(model.vocabulary, model)),
      positions_(MakeTable(model.length, model)),
      types_(MakeTable(2, model)),
      norm_(MakeNorm(model)),
      pooler_(MakeDense(model.hidden, model.hidden, Activation::kTanh)),
      following_(MakeDense(model.hidden, 2, Activation::kLinear)),
      transform_(MakeDense(model.hidden, model.hidden, Activation::kGeluTanh)),
      transform_norm_(MakeNorm(model)),
      word_bias_(MakeVariable(
          {.initial_value =
               [n = model.vocabulary] { return Tensor::Full(Shape{n}, 0.0f); },
           .name = "words/bias"})) {
  for (int64_t i = 0; i < model.layers; ++i) layers_.emplace_back(model);
}

Tensor BertNetwork::Encode(const Tensor& ids, const Tensor& mask,
                           const Tensor& types) const {
  const Tensor positions = positions_.trainable_variables()[0]->Read();
  Tensor x = ops::Add(ops::Add(words_(ids), positions), types_(types));
  x = norm_(x);
  for (const EncoderLayer& layer : layers_) x = layer(x, mask);
  return x;
}

Tensor BertNetwork::PredictWords(const Tensor& encoded,
                                 const Tensor& positions) const {
  const Tensor chosen = ops::BatchGather(encoded, positions);
  const Tensor x = transform_norm_(transform_(chosen));
  const int64_t hidden = x.dim(x.rank() - 1);
  const Tensor rows = ops::Reshape(x, Shape{x.num_elements() / hidden, hidden});
  const Tensor table = words_.trainable_variables()[0]->Read();
  return ops::Add(ops::MatMul(rows, table, false, /*transpose_b=*/true),
                  word_bias_->Read());
}

Tensor BertNetwork::PredictFollowing(const Tensor& encoded) const {
  const Tensor first = ops::Slice(encoded, 1, 0, 1);
  const Shape rows{encoded.dim(0), encoded.dim(2)};
  return following_(pooler_(ops::Reshape(first, rows)));
}

std::vector<VariablePtr> BertNetwork::Weights() const {
  std::vector<Layer> layers = {words_, positions_, types_, norm_};
  for (const EncoderLayer& layer : layers_) {
    const std::vector<Layer> own = layer.Layers();
    layers.insert(layers.end(), own.begin(), own.end());
  }
  layers.insert(layers.end(),
                {pooler_, following_, transform_, transform_norm_});
  std::vector<VariablePtr> weights = WeightsOf(layers);
  weights.push_back(word_bias_);
  return weights;
}

}  // namespace lockstep::benchmarks
