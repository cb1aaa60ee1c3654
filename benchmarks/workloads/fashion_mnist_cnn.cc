#include "benchmarks/workloads/fashion_mnist_cnn.h"

#include "benchmarks/workloads/classification.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep::benchmarks {

Sequential MakeFashionMnistCnn() {
  const Sequential model({
      Conv2D(32, 3, {.activation = Activation::kRelu}),
      MaxPooling2D(),
      Conv2D(64, 3, {.activation = Activation::kRelu}),
      MaxPooling2D(),
      Flatten(),
      Dense(64, {.activation = Activation::kRelu}),
      Dense(10),
  });
  model.Build(Shape{kUnknownDim, 28, 28, 1});
  return model;
}

Workload FashionMnistCnn(const ChosenImages& images) {
  return {.name = "fashion_mnist_cnn",
          .description = "the Fashion-MNIST CNN",
          .details = {},
          .data = ImagesOf("fashion_mnist", images.source, Scaled(images.data)),
          .batch_per_replica = 64,
          .warmup_steps = 20,
          .steps_per_block = 25,
          .optimizer = "adam",
          .make_task = Classification([] { return MakeFashionMnistCnn(); }),
          .make_optimizer = [](const TrainingPlan&) {
            return std::make_unique<Adam>();
          }};
}

Workload FashionMnistCnnFor(const WorkloadOptions& options) {
  Workload workload = FashionMnistCnn(ChooseFashionMnist(options.data));
  workload.batch_per_replica = options.BatchOr(workload.batch_per_replica);
  return workload;
}

}  // namespace lockstep::benchmarks
