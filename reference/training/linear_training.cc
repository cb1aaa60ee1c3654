#include "reference/training/linear_training.h"

#include <utility>

#include "reference/autodiff/gradient_tape.h"
#include "reference/data/dataset.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"

namespace lockstep {
namespace {

using Floats = std::vector<float>;

constexpr int64_t kBatch = 4;

// n examples of y = 2 a - b, batches of 4.
Dataset Examples(int64_t n) {
  Floats x, y;
  for (int64_t i = 0; i < n; ++i) {
    const float a = i % 3, b = i % 2 + 1;
    x.insert(x.end(), {a, b});
    y.push_back(2 * a - b);
  }
  return Dataset::FromTensorSlices(
             Structure::Tuple({Tensor::FromVector(x, Shape{n, 2}),
                               Tensor::FromVector(y, Shape{n, 1})}))
      .Batch(kBatch);
}

}  // namespace

LinearTraining::LinearTraining(Strategy& strategy) : strategy_(strategy) {
  const auto scope = strategy_.Scope();
  model_ =
      Sequential({Dense(1, {.use_bias = false,
                            .kernel_initializer = initializers::Constant(1),
                            .name = "linear"})});
  optimizer_ = std::make_unique<Sgd>(SgdOptions{.learning_rate = 0.0625});
  mean_ = std::make_unique<Mean>("loss");
}

LinearOutcome LinearTraining::Train(int64_t n) {
  LinearOutcome outcome;
  for (const auto& batch : strategy_.DistributeDataset(Examples(n))) {
    const auto losses = strategy_.Run(
        [&](const Structure& part) {
          return Step(part[0].leaf(), part[1].leaf());
        },
        batch);
    outcome.losses.push_back(
        strategy_.Reduce(ReduceOp::kSum, losses).item<float>());
  }
  outcome.weights = model_.variables()[0]->Read().ToVector<float>();
  outcome.mean = mean_->Result();
  return outcome;
}

Tensor LinearTraining::Step(const Tensor& x, const Tensor& y) {
  GradientTape tape;
  const Tensor losses = loss_(y, model_(x, /*training=*/true));
  const Tensor total =
      ComputeAverageLoss(losses, {.global_batch_size = kBatch});
  const auto variables = model_.trainable_variables();
  optimizer_->ApplyGradients(Zip(tape.Gradient(total, variables), variables));
  mean_->UpdateState(losses);
  return total;
}

}  // namespace lockstep
