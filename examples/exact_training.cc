#include "examples/exact_training.h"

#include <array>
#include <utility>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/check.h"
#include "reference/data/dataset.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/losses/cross_entropy.h"
#include "reference/losses/loss.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::examples {
namespace {

constexpr int64_t kBatches = 4;
constexpr uint32_t kImageStream = 64;
constexpr uint32_t kLabelStream = 128;
// Kernel, bias of the convolutions, then of the dense layers.
constexpr std::array<float, 8> kScales = {1.0f / 8,  0, 1.0f / 16, 0,
                                          1.0f / 16, 0, 1.0f / 4,  0};

}  // namespace

uint8_t ExactByte(uint32_t stream, uint32_t index) {
  uint32_t n = (stream << 24) + index + 1;
  n = (n ^ (n >> 16)) * 0x45d9f3bu;
  n = (n ^ (n >> 16)) * 0x45d9f3bu;
  return static_cast<uint8_t>(n ^ (n >> 16));
}

void SetExactWeights(const Layer& model) {
  const std::vector<VariablePtr> variables = model.variables();
  LOCKSTEP_CHECK(variables.size() == kScales.size());
  for (uint32_t v = 0; v < kScales.size(); ++v) {
    Tensor value = EmptyOnHost(variables[v]->shape());
    float* out = value.mutable_data<float>();
    for (uint32_t i = 0; i < value.num_elements(); ++i) {
      const int centred = ExactByte(v, i) - 128;
      out[i] = static_cast<float>(centred) / 128 * kScales[v];
    }
    variables[v]->Assign(value);
  }
}

Structure ExactBatch(int64_t step, int64_t size) {
  const auto turn = static_cast<uint32_t>(step % kBatches);
  Tensor images = EmptyOnHost(Shape{size, 28, 28, 1});
  float* pixel = images.mutable_data<float>();
  for (uint32_t i = 0; i < images.num_elements(); ++i) {
    pixel[i] = static_cast<float>(ExactByte(kImageStream + turn, i)) / 256;
  }
  Tensor labels = EmptyOnHost(Shape{size}, DType::kInt64);
  for (uint32_t i = 0; i < size; ++i) {
    labels.mutable_data<int64_t>()[i] = ExactByte(kLabelStream + turn, i) % 10;
  }
  return Structure::Tuple({images, labels});
}

ExactTraining::ExactTraining(Strategy& strategy,
                             const std::function<Sequential()>& make_model)
    : strategy_(strategy) {
  StrategyScope scope = strategy.Scope();
  model_ = make_model();
  model_.Build(Shape{kUnknownDim, 28, 28, 1});
  optimizer_ = std::make_unique<Adam>();
  optimizer_->Build(model_.trainable_variables());
  checkpoint_.reset(new Checkpoint(
      {{"optimizer", optimizer_.get()}, {"model", model_.trackable()}}));
}

Tensor ExactTraining::TrainStep(const Structure& batch) {
  const losses::SparseCategoricalCrossentropy loss_object(
      {.from_logits = true, .reduction = losses::Reduction::kNone});
  GradientTape tape;
  const Tensor logits = model_(batch[0], /*training=*/true);
  const Tensor loss = ComputeAverageLoss(
      loss_object(batch[1], logits), {.global_batch_size = kGlobalBatchSize});
  const auto variables = model_.trainable_variables();
  optimizer_->ApplyGradients(Zip(tape.Gradient(loss, variables), variables));
  return loss;
}

std::vector<float> ExactTraining::Train(int64_t steps) {
  std::vector<float> losses;
  const int64_t first = optimizer_->iterations();
  for (int64_t step = first; step < first + steps; ++step) {
    const Dataset batches =
        Dataset::FromTensors(ExactBatch(step, kGlobalBatchSize));
    for (const PerReplica<Structure>& batch :
         strategy_.DistributeDataset(batches)) {
      const PerReplica<Tensor> loss = strategy_.Run(
          [this](const Structure& part) { return TrainStep(part); }, batch);
      losses.push_back(strategy_.Reduce(ReduceOp::kSum, loss).item<float>());
    }
  }
  return losses;
}

}  // namespace lockstep::examples
