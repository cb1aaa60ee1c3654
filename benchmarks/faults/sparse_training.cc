#include "benchmarks/faults/sparse_training.h"

#include "reference/autodiff/gradient_tape.h"
#include "reference/data/dataset.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/initializers.h"
#include "reference/losses/loss.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kFeatures = 8192;
constexpr int64_t kExamples = 124;
constexpr int64_t kBatch = 8;
constexpr int64_t kStepsPerEpoch = (kExamples + kBatch - 1) / kBatch;

Dataset Examples() {
  std::vector<float> rows(kExamples * kFeatures);
  for (int64_t i = 0; i < kExamples; ++i) {
    float* row = &rows[i * kFeatures];
    row[7 * i] = static_cast<float>(1 + i % 3);
    row[7 * i + 3] = -static_cast<float>(1 + i % 2);
  }
  return Dataset::FromTensorSlices(
      Structure(Tensor::FromVector(rows, Shape{kExamples, kFeatures})));
}

}  // namespace

SparseTraining::SparseTraining(Strategy& strategy) : strategy_(strategy) {
  const auto scope = strategy_.Scope();
  model_ =
      Sequential({Input({kFeatures}),
                  Dense(1, {.use_bias = false,
                            .kernel_initializer = initializers::Constant(1),
                            .name = "weights"})});
  optimizer_ =
      std::make_unique<Sgd>(SgdOptions{.learning_rate = 0.25, .momentum = 1});
  optimizer_->Build(model_.trainable_variables());
}

std::map<std::string, Trackable*> SparseTraining::objects() {
  return {{"model", model_.trackable()}, {"optimizer", optimizer_.get()}};
}

void SparseTraining::Train(int64_t epochs, const Report& report) {
  const Dataset examples = Examples();
  while (step() < epochs * kStepsPerEpoch) {
    const int64_t done = step() % kStepsPerEpoch;
    const auto rest = examples.Skip(done * kBatch).Batch(kBatch);
    for (const auto& batch : strategy_.DistributeDataset(rest)) {
      const auto losses = strategy_.Run(
          [&](const Structure& part) { return Step(part); }, batch);
      const float loss = strategy_.Reduce(ReduceOp::kSum, losses).item<float>();
      report(step(), loss);
    }
  }
}

Tensor SparseTraining::Step(const Structure& part) {
  GradientTape tape;
  const Tensor loss = ComputeAverageLoss(model_(part.leaf(), /*training=*/true),
                                         {.global_batch_size = kBatch});
  const auto variables = model_.trainable_variables();
  optimizer_->ApplyGradients(Zip(tape.Gradient(loss, variables), variables));
  return loss;
}

std::vector<std::pair<int64_t, float>> SparseTraining::changed_weights() const {
  const auto weights = model_.variables()[0]->Read().ToVector<float>();
  std::vector<std::pair<int64_t, float>> changed;
  for (int64_t i = 0; i < kFeatures; ++i) {
    if (weights[i] != 1) changed.emplace_back(i, weights[i]);
  }
  return changed;
}

}  // namespace lockstep::benchmarks
