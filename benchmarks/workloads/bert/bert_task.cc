#include "benchmarks/workloads/bert/bert_task.h"

#include <vector>

#include "benchmarks/workloads/bert/encoder.h"
#include "benchmarks/workloads/class_figures.h"
#include "benchmarks/workloads/token_count.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/losses/loss.h"

namespace lockstep::benchmarks {
namespace {

// A batch's arrays, by name.
struct Batch {
  explicit Batch(const Structure& part)
      : ids(part[0]),
        mask(part[1]),
        types(part[2]),
        positions(part[3]),
        labels(Flat(part[4])),
        weights(Flat(part[5])),
        follows(part[6]) {}

  static Tensor Flat(const Tensor& x) {
    return ops::Reshape(x, Shape{x.num_elements()});
  }

  Tensor ids, mask, types, positions;
  Tensor labels, weights;  // [N * P]
  Tensor follows;
};

struct Logits {
  Tensor words;      // [N * P, vocabulary]
  Tensor following;  // [N, 2]
};

class BertTask final : public Task {
 public:
  explicit BertTask(const BertModel& model)
      : network_(model), weights_(network_.Weights()) {}

  ForwardPass Forward(const Structure& part,
                      int64_t global_batch_size) override {
    const Batch batch(part);
    const Logits logits = Predict(batch);
    const Tensor words = ops::Multiply(
        batch.weights,
        ops::SparseSoftmaxCrossEntropy(logits.words, batch.labels));
    const Tensor loss = ops::Add(
        ops::Divide(ops::ReduceSum(words), CountOfAllReplicas(batch.weights)),
        ComputeAverageLoss(
            ops::SparseSoftmaxCrossEntropy(logits.following, batch.follows),
            {.global_batch_size = global_batch_size}));
    return {.loss = loss,
            .weights = weights_,
            .measure = [this, batch, loss, words = logits.words] {
              figures_.OfStep(loss, batch.labels, words, batch.weights);
            }};
  }

  void Test(const Structure& part) override {
    const Batch batch(part);
    const Tensor words = Predict(batch).words;
    figures_.OfTest(ops::SparseSoftmaxCrossEntropy(words, batch.labels),
                    batch.labels, words, batch.weights);
  }

  const std::vector<VariablePtr>& weights() const override { return weights_; }

  Quality quality() const override {
    return {.name = "masked_accuracy", .label = "masked accuracy"};
  }
  TaskFigures Figures() const override { return figures_.Get(); }
  void ResetFigures() override { figures_.Reset(); }

 private:
  Logits Predict(const Batch& batch) const {
    const Tensor encoded = network_.Encode(batch.ids, batch.mask, batch.types);
    return {.words = network_.PredictWords(encoded, batch.positions),
            .following = network_.PredictFollowing(encoded)};
  }

  const BertNetwork network_;
  const std::vector<VariablePtr> weights_;
  ClassFigures figures_;
};

}  // namespace

std::unique_ptr<Task> MakeBertTask(const BertModel& model) {
  return std::make_unique<BertTask>(model);
}

}  // namespace lockstep::benchmarks
