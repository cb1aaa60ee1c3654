#include "benchmarks/workloads/nmt/nmt_task.h"

#include <algorithm>
#include <vector>

#include "benchmarks/workloads/built_layers.h"
#include "benchmarks/workloads/loss_figures.h"
#include "benchmarks/workloads/token_count.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/decoding/decode.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/recurrent/additive_attention.h"
#include "reference/layers/recurrent/recurrent.h"
#include "reference/layers/transformer/embedding.h"
#include "reference/losses/loss.h"
#include "reference/metrics/bleu.h"

namespace lockstep::benchmarks {
namespace {

Embedding MakeTable(int64_t words, const NmtModel& model) {
  return Built(Embedding(words, model.embedding), Shape{kUnknownDim});
}

// What the encoder makes of the source.
struct Encoded {
  Tensor outputs;  // [N, S, units]
  Tensor state;    // [N, units]
};

class Network {
 public:
  explicit Network(const NmtModel& model)
      : source_table_(MakeTable(model.source, model)),
        encoder_(Built(
            Gru(model.units, {.return_sequences = true, .return_state = true}),
            Shape{kUnknownDim, 1, model.embedding})),
        target_table_(MakeTable(model.target, model)),
        decoder_(Built(Gru(model.units),
                       Shape{kUnknownDim, 1, model.embedding + model.units})),
        predict_(Built(Dense(model.target), Shape{kUnknownDim, model.units})),
        attention_(Built(
            BahdanauAttention(model.units),
            ShapeStructure::Tuple({Shape{kUnknownDim, model.units},
                                   Shape{kUnknownDim, 1, model.units}}))) {}

  Encoded Encode(const Tensor& source) const {
    const Structure results = encoder_(Structure(source_table_(source)));
    return {.outputs = results[0], .state = results[1]};
  }

  // Logits [N, target] after words [N]; `state` becomes the next one.
  Tensor Step(const Encoded& encoded, const Tensor& words,
              Tensor& state) const {
    const Structure attended =
        attention_(Structure::Tuple({state, encoded.outputs}));
    const Tensor context = attended[0];
    const Tensor x = ops::Concat({context, target_table_(words)}, 1);
    state = decoder_(ops::Reshape(x, Shape{x.dim(0), 1, x.dim(1)}));
    return predict_(state);
  }

  std::vector<VariablePtr> Weights() const {
    return WeightsOf({source_table_, encoder_, target_table_, decoder_,
                      predict_, attention_});
  }

 private:
  Embedding source_table_;
  Gru encoder_;
  Embedding target_table_;
  Gru decoder_;
  Dense predict_;
  BahdanauAttention attention_;
};

// Predictions of all words of the target but the first.
struct Predictions {
  Tensor logits;   // [(T - 1) * N, words]
  Tensor labels;   // [(T - 1) * N]
  Tensor weights;  // 0 for padding
};

class NmtTask final : public Task {
 public:
  explicit NmtTask(const NmtModel& model)
      : divisor_(model.divisor),
        network_(model),
        weights_(network_.Weights()) {}

  ForwardPass Forward(const Structure& part,
                      int64_t global_batch_size) override {
    const Predictions words = Predict(part);
    const Tensor losses = ops::Multiply(
        words.weights,
        ops::SparseSoftmaxCrossEntropy(words.logits, words.labels));
    const Tensor loss =
        divisor_ == NmtDivisor::kTokens
            ? ops::Divide(ops::ReduceSum(losses),
                          CountOfAllReplicas(words.weights))
            : ComputeAverageLoss(losses,
                                 {.global_batch_size = global_batch_size});
    return {.loss = loss, .weights = weights_, .measure = [this, loss] {
              losses_.OfStep(loss);
            }};
  }

  void Test(const Structure& part) override {
    const Predictions words = Predict(part);
    losses_.OfTest(ops::SparseSoftmaxCrossEntropy(words.logits, words.labels),
                   words.weights);
    bleu_.UpdateState(part[1], Translate(part[0], part[1].leaf().dim(1)));
  }

  const std::vector<VariablePtr>& weights() const override { return weights_; }

  // Published tables have 100 times the score.
  Quality quality() const override {
    return {.name = "bleu", .label = "BLEU", .unit = ""};
  }
  TaskFigures Figures() const override {
    return {.loss = losses_.Training(),
            .test_loss = losses_.Test(),
            .test_quality = bleu_.Result()};
  }

  void ResetFigures() override {
    losses_.Reset();
    bleu_.ResetState();
  }

 private:
  Predictions Predict(const Structure& part) const {
    const Encoded encoded = network_.Encode(part[0]);
    const std::vector<Tensor> target = ops::Unstack(part[1], 1);
    Tensor state = encoded.state;
    std::vector<Tensor> logits;
    for (size_t t = 1; t < target.size(); ++t) {
      logits.push_back(network_.Step(encoded, target[t - 1], state));
    }
    const Tensor labels =
        ops::Concat({target.begin() + 1, target.end()}, /*axis=*/0);
    const Tensor padding =
        ops::Equal(labels, Tensor::Full(labels.shape(), int64_t{0}));
    return {.logits = ops::Concat(logits, 0),
            .labels = labels,
            .weights = ops::Subtract(Tensor::Full(Shape{}, 1.0f),
                                     padding.Cast(DType::kFloat32))};
  }

  // The sentences [N, most], as the model translates them greedily.
  Tensor Translate(const Tensor& source, int64_t most) const {
    const Encoded encoded = network_.Encode(source);
    const DecodingStep step = [&](const Structure& before,
                                  const Tensor& words) {
      Tensor state = before[0];
      const Tensor outputs = before[1];
      const Tensor logits =
          network_.Step({.outputs = outputs, .state = state}, words, state);
      return NextTokens{.log_probabilities = ops::Log(ops::Softmax(logits)),
                        .state = Structure::Tuple({state, outputs})};
    };
    const int64_t rows = source.dim(0);
    const std::vector<Hypothesis> found = GreedyDecode(
        step, Structure::Tuple({encoded.state, encoded.outputs}), rows,
        {.start_token = kBeginWord,
         .end_token = kEndWord,
         .most_tokens = most});
    std::vector<int64_t> words(static_cast<size_t>(rows * most), 0);
    for (int64_t row = 0; row < rows; ++row) {
      std::ranges::copy(found[row].tokens, words.begin() + row * most);
    }
    return Tensor::FromVector(words, Shape{rows, most});
  }

  const NmtDivisor divisor_;
  const Network network_;
  const std::vector<VariablePtr> weights_;
  LossFigures losses_;
  Bleu bleu_{{.end_token = kEndWord, .ignored_tokens = {0, kBeginWord}}};
};

}  // namespace

std::unique_ptr<Task> MakeNmtTask(const NmtModel& model) {
  return std::make_unique<NmtTask>(model);
}

}  // namespace lockstep::benchmarks
