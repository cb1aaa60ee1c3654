#include "examples/exact_training.h"

#include "examples/exact_fixture.h"
#include "reference/autodiff/gradient_tape.h"
#include "reference/data/dataset.h"
#include "reference/distribute/input/distribute_dataset.h"
#include "reference/losses/compute_average_loss.h"
#include "reference/losses/sparse_categorical_crossentropy.h"

namespace lockstep::examples {

ExactTraining::ExactTraining(
    Strategy& strategy,
    const std::function<std::unique_ptr<Sequential>()>& make_model)
    : strategy_(strategy) {
  StrategyScope scope = strategy.Scope();
  model_ = make_model();
  model_->Build(Shape{kUnknownDim, 28, 28, 1});
  optimizer_ = std::make_unique<Adam>();
  optimizer_->Build(model_->trainable_variables());
  checkpoint_.reset(new Checkpoint(
      {{"optimizer", optimizer_.get()}, {"model", model_.get()}}));
}

Tensor ExactTraining::TrainStep(const Structure& batch) {
  const losses::SparseCategoricalCrossentropy loss_object(
      {.from_logits = true, .reduction = losses::Reduction::kNone});
  GradientTape tape;
  const Tensor logits = (*model_)(batch[0].leaf(), /*training=*/true);
  const Tensor loss =
      ComputeAverageLoss(loss_object(batch[1].leaf(), logits),
                         {.global_batch_size = kGlobalBatchSize});
  const auto variables = model_->trainable_variables();
  const auto gradients = tape.Gradient(loss, variables);
  std::vector<GradientAndVariable> pairs;
  for (size_t i = 0; i < variables.size(); ++i) {
    pairs.emplace_back(gradients[i], variables[i]);
  }
  optimizer_->ApplyGradients(pairs);
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
