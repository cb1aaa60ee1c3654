// The program of README.md: a training loop on two replicas. Its losses are
// exact: 30, 0.1171875 and 0.000457763671875, as on one replica.
#include <cstdio>

#include "reference/lockstep.h"

using namespace lockstep;

int main() {
  // Two logical devices, on this machine's cores. Variables that are made in
  // the scope have a copy on each.
  MirroredStrategy strategy({"CPU:0", "CPU:1"});
  const StrategyScope scope = strategy.Scope();
  Sequential model({Dense(
      1, {.use_bias = false, .kernel_initializer = initializers::Zeros()})});
  Sgd optimizer({.learning_rate = 0.0625});
  const losses::MeanSquaredError loss_object(
      {.reduction = losses::Reduction::kNone});

  const Tensor inputs = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{4, 1});
  const Tensor labels = Tensor::FromVector<float>({2, 4, 6, 8}, Shape{4, 1});
  constexpr int64_t kGlobalBatch = 4;  // two examples per replica
  const DistributedDataset batches = strategy.DistributeDataset(
      Dataset::FromTensorSlices({inputs, labels}).Batch(kGlobalBatch));

  const auto train_step = [&](const Structure& batch) {
    GradientTape tape;
    const Tensor losses = loss_object(batch[1], model(batch[0]));
    const Tensor loss =
        ComputeAverageLoss(losses, {.global_batch_size = kGlobalBatch});
    const auto variables = model.trainable_variables();
    optimizer.ApplyGradients(Zip(tape.Gradient(loss, variables), variables));
    return loss;
  };
  for (int epoch = 1; epoch <= 3; ++epoch) {
    for (const PerReplica<Structure>& batch : batches) {
      const PerReplica<Tensor> losses = strategy.Run(train_step, batch);
      const Tensor loss = strategy.Reduce(ReduceOp::kSum, losses);
      std::printf("epoch %d: loss %.15g\n", epoch, loss.item<float>());
    }
  }
}
