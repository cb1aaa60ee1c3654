#include "benchmarks/workloads/resnet50.h"

#include <memory>

#include "benchmarks/workloads/classification.h"
#include "image_datasets/synthetic.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/optimizers/update_rules.h"
#include "reference/regularizers/regularizer.h"
#include "reference/training/model/model.h"

namespace lockstep::benchmarks {
namespace {

constexpr int64_t kExpansion = 4;  // a block's outputs over its inner channels

// The settings of all layers of a network.
class Builder {
 public:
  explicit Builder(const ResNet50Model& model)
      : penalty_(model.l2 > 0 ? std::make_shared<L2>(model.l2) : nullptr),
        synchronized_(model.synchronized) {}

  // A convolution without bias and its normalization. Padding is the same on
  // both sides, unlike SAME with strides.
  SymbolicTensor Convolve(const SymbolicTensor& x, int64_t filters,
                          int64_t size, int64_t stride) const {
    const bool pads = size > 1 && stride > 1;
    const Conv2D conv(filters, size,
                      {.strides = stride,
                       .padding = pads ? Padding::kValid : Padding::kSame,
                       .use_bias = false,
                       .kernel_regularizer = penalty_});
    const BatchNormalization norm(
        {.momentum = 0.9, .epsilon = 1e-5, .synchronized = synchronized_});
    return norm(conv(pads ? ZeroPadding2D(size / 2)(x) : x));
  }

  // 1 x 1 down to `inner` channels, 3 x 3, 1 x 1 up; a convolution of the
  // input is added where sizes or channels change.
  SymbolicTensor Bottleneck(const SymbolicTensor& x, int64_t inner,
                            int64_t stride, bool project) const {
    SymbolicTensor y = ReLU()(Convolve(x, inner, 1, 1));
    y = ReLU()(Convolve(y, inner, 3, stride));
    y = Convolve(y, kExpansion * inner, 1, 1);
    const SymbolicTensor shortcut =
        project ? Convolve(x, kExpansion * inner, 1, stride) : x;
    return ReLU()(Add()({y, shortcut}));
  }

  SymbolicTensor Classify(const SymbolicTensor& x, int64_t classes) const {
    return Dense(classes, {.kernel_regularizer = penalty_})(x);
  }

 private:
  RegularizerPtr penalty_;
  bool synchronized_;
};

}  // namespace

SymbolicTensor ResNet50Logits(const ResNet50Model& model,
                              const SymbolicTensor& images) {
  const Builder builder(model);
  SymbolicTensor x = ReLU()(builder.Convolve(images, model.width, 7, 2));
  x = MaxPooling2D(3, {.strides = 2})(ZeroPadding2D(1)(x));
  for (size_t stage = 0; stage < model.blocks.size(); ++stage) {
    for (int64_t block = 0; block < model.blocks[stage]; ++block) {
      const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      x = builder.Bottleneck(x, model.width << stage, stride, block == 0);
    }
  }
  return builder.Classify(GlobalAveragePooling2D()(x), model.classes);
}

Model MakeResNet50(const ResNet50Model& model) {
  const SymbolicTensor images = Input({model.image_size, model.image_size, 3});
  return Model(images, ResNet50Logits(model, images));
}

namespace {

constexpr double kLearningRate = 0.1;  // of a global batch of kReferenceBatch
constexpr double kReferenceBatch = 256;

std::unique_ptr<Optimizer> MakeOptimizer(const TrainingPlan& plan) {
  return std::make_unique<Sgd>(
      SgdOptions{.learning_rate = kLearningRate *
                                  static_cast<double>(plan.global_batch_size) /
                                  kReferenceBatch,
                 .momentum = 0.9});
}

ImageData MakeImages(const ResNet50Options& options) {
  const int64_t count = options.batch_per_replica * options.most_replicas;
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
          .data = ImagesOf("synthetic", "synthetic", MakeImages(options)),
          .steps_per_epoch = options.steps_per_epoch,
          .batch_per_replica = options.batch_per_replica,
          .warmup_steps = 5,
          .steps_per_block = 5,
          .optimizer = "sgd",
          .make_task = Classification(
              [model = options.model] { return MakeResNet50(model); }),
          .make_optimizer = MakeOptimizer};
}

Workload ResNet50For(const WorkloadOptions& options) {
  return ResNet50(
      {.model = {.image_size = options.image_size, .l2 = options.l2},
       .batch_per_replica =
           options.BatchOr(ResNet50Options{}.batch_per_replica),
       .most_replicas = options.most_replicas,
       .seed = options.seed});
}

}  // namespace lockstep::benchmarks
