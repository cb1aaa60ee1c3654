#include "reference/training/small_training.h"

#include <utility>
#include <vector>

#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/ops/math_ops.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/initializers.h"
#include "reference/losses/loss.h"
#include "reference/regularizers/regularizer.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {

SmallTraining::SmallTraining(int replicas, uint64_t seed)
    : strategy_(MakeStrategy(replicas)) {
  const auto scope = strategy_->Scope();
  SetRandomSeed(seed);
  const auto l2 = std::make_shared<L2>(0.125);
  model_ = Sequential(
      {Conv2D(4, 3,
              {.activation = Activation::kRelu, .kernel_regularizer = l2}),
       MaxPooling2D(), Flatten(), Dense(3)});
  optimizer_ = std::make_unique<Adam>(AdamOptions{.learning_rate = 0.01});
  mean_ = std::make_unique<Mean>("loss");
  accuracy_ = std::make_unique<SparseCategoricalAccuracy>();
  MakeData(replicas);
}

float SmallTraining::Step() {
  const PerReplica<Tensor> losses = strategy_->Run(
      [&](const Tensor& x, const Tensor& y) { return ReplicaStep(x, y); },
      images_, labels_);
  return strategy_->Reduce(ReduceOp::kSum, losses).item<float>();
}

void SmallTraining::MakeData(int replicas) {
  Random random(5);
  Tensor images = EmptyOnHost({kGlobalBatchSize, 6, 6, 1});
  for (int64_t i = 0; i < images.num_elements(); ++i) {
    images.mutable_data<float>()[i] = random.UniformFloat();
  }
  const Tensor labels = Tensor::FromVector<int64_t>({0, 1, 2, 2, 1, 0});
  std::vector<Tensor> image_parts, label_parts;
  for (int r = 0; r < replicas; ++r) {
    const int64_t begin = kGlobalBatchSize * r / replicas;
    const int64_t end = kGlobalBatchSize * (r + 1) / replicas;
    image_parts.push_back(images.Slice(begin, end));
    label_parts.push_back(labels.Slice(begin, end));
  }
  images_ = PerReplica<Tensor>(image_parts);
  labels_ = PerReplica<Tensor>(label_parts);
}

Tensor SmallTraining::ReplicaStep(const Tensor& x, const Tensor& y) {
  GradientTape tape;
  const Tensor logits = model_(x, /*training=*/true);
  const Tensor losses = loss_(y, logits);
  const Tensor total = ops::Add(
      ComputeAverageLoss(losses, {.global_batch_size = kGlobalBatchSize}),
      ScaleRegularizationLoss(model_.losses()));
  const auto variables = model_.trainable_variables();
  optimizer_->ApplyGradients(Zip(tape.Gradient(total, variables), variables));
  mean_->UpdateState(losses);
  accuracy_->UpdateState(y, logits);
  return total;
}

}  // namespace lockstep
