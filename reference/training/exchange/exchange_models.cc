#include "reference/training/exchange/exchange_models.h"

#include <cstdint>
#include <memory>
#include <string>

#include "reference/base/error.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/layer_config.h"
#include "reference/layers/transformer/embedding.h"
#include "reference/layers/transformer/layer_normalization.h"
#include "reference/layers/transformer/multi_head_attention.h"
#include "reference/layers/typed_input.h"
#include "reference/losses/cross_entropy.h"
#include "reference/optimizers/loss_scale_optimizer.h"
#include "reference/optimizers/update_rules.h"
#include "reference/preprocessing/words/hashing.h"
#include "reference/preprocessing/words/lookup.h"
#include "reference/preprocessing/words/text_vectorization.h"

namespace lockstep {
namespace {

constexpr int64_t kExamples = 8;
constexpr int64_t kSide = 6;
constexpr int64_t kClasses = 3;
constexpr int64_t kTokens = 3;
constexpr int64_t kWords = kExamples * kTokens;  // each once, as in the script
constexpr double kLearningRate = 0.01;

Model MakeFunctional() {
  const SymbolicTensor image = Input({kSide, kSide, 1}, "image");
  const SymbolicTensor x = Conv2D(
      4, 3,
      {.padding = Padding::kSame, .activation = Activation::kRelu})(image);
  SymbolicTensor y = BatchNormalization({.momentum = 0.5})(x);
  y = ReLU()(y);
  y = Add()({x, y});
  y = Flatten()(MaxPooling2D()(y));
  const Sequential inner(
      {Dense(6, {.activation = Activation::kTanh}), Dense(4)}, "inner");
  y = Concatenate()({inner(y), GlobalAveragePooling2D()(x)});
  return Model(image, Dense(kClasses, {.name = "logits"})(y), "small");
}

Model MakeSequential() {
  return Sequential(
      {
          Input({kSide, kSide, 1}),
          ZeroPadding2D(1),
          Conv2D(2, 3, {.strides = 2, .use_bias = false}),
          AveragePooling2D(2, {.padding = Padding::kSame}),
          Flatten(),
          Dense(kClasses, {.kernel_regularizer = std::make_shared<L2>(0.01)}),
      },
      "short");
}

Model MakeAttention() {
  const SymbolicTensor tokens = Input({kTokens}, "tokens");
  const SymbolicTensor x = Embedding(kWords, 4)(tokens);
  SymbolicTensor y = MultiHeadAttention(2, 3)({x, x});
  y = LayerNormalization()(Add()({x, y}));
  return Model(tokens, Dense(kClasses)(Flatten()(y)), "attention");
}

Tensor Labels() {
  std::vector<int32_t> labels;
  for (int64_t example = 0; example < kExamples; ++example) {
    labels.push_back(static_cast<int32_t>(example % kClasses));
  }
  return Tensor::FromVector(labels);
}

Tensor Words(int64_t examples) {
  std::vector<std::string> words;
  for (int64_t example = 0; example < examples; ++example) {
    for (int64_t at = 0; at < kTokens; ++at) {
      words.push_back("w" + std::to_string((example * 7 + at * 5) % 11));
    }
  }
  return Tensor::FromVector(words, Shape{examples, kTokens});
}

Model MakeOfWords() {
  const SymbolicTensor words = Input({kTokens}, DType::kString, "words");
  const Tensor seen = Words(3);  // the others have words that are unknown
  const StringLookup learned({.output_mode = OutputMode::kMultiHot});
  learned.Adapt(seen);
  const TextVectorization weighted(
      {.split = SplitAt::kNothing, .output_mode = OutputMode::kTfIdf});
  weighted.Adapt(seen);
  const Hashing bins(4, {.output_mode = OutputMode::kMultiHot});
  const SymbolicTensor joined =
      Concatenate()({learned(words), weighted(words), bins(words)});
  return Model(words, Dense(kClasses)(joined), "of_words");
}

ExchangeBatch MakeTokens() {
  std::vector<int32_t> tokens;
  for (int64_t example = 0; example < kExamples; ++example) {
    for (int64_t at = 0; at < kTokens; ++at) {
      tokens.push_back(static_cast<int32_t>(example * kTokens + at));
    }
  }
  return {Tensor::FromVector(tokens, Shape{kExamples, kTokens}), Labels()};
}

}  // namespace

ExchangeBatch MakeExchangeBatch(std::string_view name) {
  if (name == "attention") return MakeTokens();
  if (name == "words") return {Words(kExamples), Labels()};
  std::vector<float> images;
  for (int64_t example = 0; example < kExamples; ++example) {
    for (int64_t row = 0; row < kSide; ++row) {
      for (int64_t column = 0; column < kSide; ++column) {
        const int64_t tenths = (example * 7 + row * 3 + column * 5) % 11;
        images.push_back(static_cast<float>(static_cast<double>(tenths) / 10));
      }
    }
  }
  return {Tensor::FromVector(images, Shape{kExamples, kSide, kSide, 1}),
          Labels()};
}

Model MakeExchangeModel(std::string_view name) {
  if (name == "functional") return MakeFunctional();
  if (name == "sequential" || name == "scaled") return MakeSequential();
  if (name == "attention") return MakeAttention();
  if (name == "words") return MakeOfWords();
  throw InvalidArgument("[Exchange] no model is named '{}'", name);
}

void CompileForExchange(const Model& model, std::string_view name) {
  std::shared_ptr<Optimizer> optimizer =
      std::make_shared<Adam>(AdamOptions{.learning_rate = kLearningRate});
  if (name == "scaled") {
    optimizer = std::make_shared<LossScaleOptimizer>(
        optimizer,
        LossScaleOptions{.initial_scale = 8, .dynamic_growth_steps = 2});
  }
  model.Compile(
      {.optimizer = optimizer,
       .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
       .metrics = {"accuracy"}});
}

KerasCompileConfig ExchangeCompileConfig() {
  return {.optimizer = KerasObject("keras.optimizers", "Adam",
                                   {{"learning_rate", kLearningRate}}),
          .loss = KerasObject("keras.losses", "SparseCategoricalCrossentropy",
                              {{"from_logits", true}}),
          .metrics = Json::array({"accuracy"})};
}

std::vector<double> TrainSteps(const Model& model, int steps,
                               std::string_view name) {
  const ExchangeBatch batch = MakeExchangeBatch(name);
  std::vector<double> losses;
  for (int step = 0; step < steps; ++step) {
    losses.push_back(
        model.TrainOnBatch({batch.inputs, batch.labels}).at("loss"));
  }
  return losses;
}

}  // namespace lockstep
