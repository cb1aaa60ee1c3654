#include "benchmarks/workloads/ncf/ncf_task.h"

#include <vector>

#include "benchmarks/workloads/built_layers.h"
#include "benchmarks/workloads/loss_figures.h"
#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/transformer/embedding.h"
#include "reference/losses/loss.h"
#include "reference/metrics/ranking.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kFirst = 10;  // ranks that count as a hit

// Logits of pairs of users and items.
class Network {
 public:
  explicit Network(const NcfModel& model)
      : factors_(model.factors),
        users_(MakeTable(model.users, model)),
        items_(MakeTable(model.items, model)),
        layers_(MakeLayers(model)),
        rating_(Built(
            Dense(1, {.kernel_initializer = initializers::LecunUniform()}),
            Shape{kUnknownDim, factors_ + model.layers.back()})) {}

  // [n], [n] to [n].
  Tensor operator()(const Tensor& users, const Tensor& items) const {
    const Tensor user = users_(users), item = items_(items);
    const int64_t inner = user.dim(1) - factors_;
    const auto last = [&](const Tensor& rows) {
      return ops::Slice(rows, -1, factors_, inner);
    };
    const auto first = [&](const Tensor& rows) {
      return ops::Slice(rows, -1, 0, factors_);
    };
    Tensor x = ops::Concat({last(user), last(item)}, 1);
    for (const Dense& layer : layers_) x = layer(x);
    const Tensor product = ops::Multiply(first(user), first(item));
    const Tensor logits = rating_(ops::Concat({product, x}, 1));
    return ops::Reshape(logits, users.shape());
  }

  std::vector<VariablePtr> Weights() const {
    std::vector<Layer> layers = {users_, items_};
    layers.insert(layers.end(), layers_.begin(), layers_.end());
    layers.push_back(rating_);
    return WeightsOf(layers);
  }

 private:
  static Embedding MakeTable(int64_t rows, const NcfModel& model) {
    return Built(
        Embedding(rows, model.factors + model.layers.front() / 2,
                  {.embeddings_initializer = initializers::GlorotUniform()}),
        Shape{kUnknownDim});
  }

  static std::vector<Dense> MakeLayers(const NcfModel& model) {
    std::vector<Dense> layers;
    for (size_t i = 1; i < model.layers.size(); ++i) {
      layers.push_back(
          Built(Dense(model.layers[i], {.activation = Activation::kRelu}),
                Shape{kUnknownDim, model.layers[i - 1]}));
    }
    return layers;
  }

  int64_t factors_;
  Embedding users_;
  Embedding items_;
  std::vector<Dense> layers_;
  Dense rating_;
};

class NcfTask final : public Task {
 public:
  explicit NcfTask(const NcfModel& model)
      : network_(model), weights_(network_.Weights()) {}

  ForwardPass Forward(const Structure& part,
                      int64_t global_batch_size) override {
    const Tensor logits = network_(part[0], part[1]);
    const Tensor losses = ops::SigmoidCrossEntropy(logits, part[2]);
    const Tensor loss =
        ComputeAverageLoss(losses, {.sample_weight = part[3].leaf(),
                                    .global_batch_size = global_batch_size});
    return {.loss = loss, .weights = weights_, .measure = [this, loss] {
              losses_.OfStep(loss);
            }};
  }

  void Test(const Structure& part) override {
    const Tensor users = part[0], items = part[1], right = part[2];
    const Tensor scores =
        ops::Reshape(network_(ops::Reshape(users, Shape{users.num_elements()}),
                              ops::Reshape(items, Shape{items.num_elements()})),
                     users.shape());
    hits_.UpdateState(right, scores);
    losses_.OfTest(ops::SparseSoftmaxCrossEntropy(scores, right));
  }

  const std::vector<VariablePtr>& weights() const override { return weights_; }

  Quality quality() const override {
    return {.name = "hit_rate_at_10", .label = "hit rate at 10"};
  }
  TaskFigures Figures() const override {
    return {.loss = losses_.Training(),
            .test_loss = losses_.Test(),
            .test_quality = hits_.Result()};
  }

  void ResetFigures() override {
    losses_.Reset();
    hits_.ResetState();
  }

 private:
  const Network network_;
  const std::vector<VariablePtr> weights_;
  LossFigures losses_;
  HitRate hits_{kFirst};
};

}  // namespace

std::unique_ptr<Task> MakeNcfTask(const NcfModel& model) {
  return std::make_unique<NcfTask>(model);
}

}  // namespace lockstep::benchmarks
