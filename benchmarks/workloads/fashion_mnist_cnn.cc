#include "benchmarks/workloads/fashion_mnist_cnn.h"

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
          .data_name = "fashion_mnist",
          .data_source = images.source,
          .data = Scaled(images.data),
          .images_per_replica = 64,
          .warmup_steps = 20,
          .steps_per_block = 25,
          .optimizer = "adam",
          .make_model = [] { return MakeFashionMnistCnn(); },
          .make_optimizer = [](int64_t) { return std::make_unique<Adam>(); }};
}

}  // namespace lockstep::benchmarks
