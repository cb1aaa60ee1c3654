#include "benchmarks/workloads/fashion_mnist_cnn/workload.h"

#include "benchmarks/workloads/fashion_mnist_cnn/model.h"
#include "reference/optimizers/adam.h"

namespace lockstep::benchmarks {

Workload FashionMnistCnn(const ChosenImages& images) {
  return {.name = "fashion_mnist_cnn",
          .description = "the Fashion-MNIST CNN",
          .details = Json::object(),
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
