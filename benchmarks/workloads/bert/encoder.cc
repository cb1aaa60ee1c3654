#include "benchmarks/workloads/bert/encoder.h"

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
  const Dense dense(outputs, {.activation = activation,
                              .kernel_initializer = FirstWeights()});
  dense.Build(Shape{kUnknownDim, inputs});
  return dense;
}

Embedding MakeTable(int64_t rows, const BertModel& model) {
  const Embedding table(rows, model.hidden,
                        {.embeddings_initializer = FirstWeights()});
  table.Build(Shape{kUnknownDim});
  return table;
}

LayerNormalization MakeNorm(const BertModel& model) {
  const LayerNormalization norm({.epsilon = kEpsilon});
  norm.Build(Shape{kUnknownDim, model.hidden});
  return norm;
}

MultiHeadAttention MakeAttention(const BertModel& model) {
  const MultiHeadAttention attention(
      model.heads, model.hidden / model.heads,
      {.use_key_mask = true, .kernel_initializer = FirstWeights()});
  const Shape rows{kUnknownDim, model.length, model.hidden};
  attention.Build(
      ShapeStructure::Tuple({rows, rows, Shape{kUnknownDim, model.length}}));
  return attention;
}

void AddWeightsOf(const Layer& layer, std::vector<VariablePtr>& weights) {
  for (const VariablePtr& variable : layer.trainable_variables()) {
    weights.push_back(variable);
  }
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

void EncoderLayer::AddWeights(std::vector<VariablePtr>& weights) const {
  AddWeightsOf(attention_, weights);
  AddWeightsOf(after_attention_, weights);
  AddWeightsOf(inner_, weights);
  AddWeightsOf(outer_, weights);
  AddWeightsOf(after_network_, weights);
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
  std::vector<VariablePtr> weights;
  AddWeightsOf(words_, weights);
  AddWeightsOf(positions_, weights);
  AddWeightsOf(types_, weights);
  AddWeightsOf(norm_, weights);
  for (const EncoderLayer& layer : layers_) layer.AddWeights(weights);
  AddWeightsOf(pooler_, weights);
  AddWeightsOf(following_, weights);
  AddWeightsOf(transform_, weights);
  AddWeightsOf(transform_norm_, weights);
  weights.push_back(word_bias_);
  return weights;
}

}  // namespace lockstep::benchmarks
