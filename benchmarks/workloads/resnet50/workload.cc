#include "benchmarks/workloads/resnet50/workload.h"

#include "datasets/synthetic.h"
#include "reference/optimizers/sgd.h"

namespace lockstep::benchmarks {
namespace {

constexpr double kLearningRate = 0.1;  // of a global batch of kReferenceBatch
constexpr double kReferenceBatch = 256;

std::unique_ptr<Optimizer> MakeOptimizer(int64_t global_batch_size) {
  return std::make_unique<Sgd>(SgdConfig{
      .learning_rate = kLearningRate * static_cast<double>(global_batch_size) /
                       kReferenceBatch,
      .momentum = 0.9});
}

ImageData MakeImages(const ResNet50Options& options) {
  const int64_t count = options.images_per_replica * options.most_replicas;
  return Scaled(MakeSyntheticData({.count = count,
                                   .height = options.model.image_size,
                                   .width = options.model.image_size,
                                   .channels = 3,
                                   .classes = options.model.classes,
                                   .seed = options.seed},
                                  count));
}

}  // namespace

Workload ResNet50(const ResNet50Options& options) {
  return {.name = "resnet50",
          .description = "ResNet-50",
          .details = {{"image_size", options.model.image_size},
                      {"l2", options.model.l2}},
          .data_name = "synthetic",
          .data_source = "synthetic",
          .data = MakeImages(options),
          .steps_per_epoch = options.steps_per_epoch,
          .images_per_replica = options.images_per_replica,
          .warmup_steps = 5,
          .steps_per_block = 5,
          .optimizer = "sgd",
          .make_model = [model = options.model] { return MakeResNet50(model); },
          .make_optimizer = MakeOptimizer};
}

}  // namespace lockstep::benchmarks
