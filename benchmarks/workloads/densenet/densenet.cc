#include "benchmarks/workloads/densenet/densenet.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "benchmarks/workloads/classification.h"
#include "image_datasets/embedded/choose_fashion_mnist.h"
#include "reference/base/error.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/optimizers/learning_rate_schedule.h"
#include "reference/optimizers/update_rules.h"
#include "reference/regularizers/regularizer.h"

namespace lockstep::benchmarks {
namespace {

constexpr int kBlocks = 3;
constexpr int64_t kBottleneck = 4;  // inner channels of a layer over its growth

int64_t LayersOfBlock(const DenseNetModel& model) {
  if (model.depth < 10 || (model.depth - 4) % (2 * kBlocks) != 0) {
    throw InvalidArgument(
        "[DenseNet] depth is {}; wanted 10, 16, 22 or another 6 n + 4",
        model.depth);
  }
  return (model.depth - 4) / (2 * kBlocks);
}

class Builder {
 public:
  explicit Builder(const DenseNetModel& model)
      : growth_(model.growth),
        penalty_(model.l2 > 0 ? std::make_shared<L2>(model.l2) : nullptr),
        synchronized_(model.synchronized) {}

  SymbolicTensor Convolve(const SymbolicTensor& x, int64_t filters,
                          int64_t size) const {
    return Conv2D(filters, size,
                  {.padding = Padding::kSame,
                   .use_bias = false,
                   .kernel_regularizer = penalty_})(x);
  }

  SymbolicTensor NormalizeAndRectify(const SymbolicTensor& x) const {
    return ReLU()(BatchNormalization({.synchronized = synchronized_})(x));
  }

  // `x` and the channels that a layer adds.
  SymbolicTensor Grow(const SymbolicTensor& x) const {
    const SymbolicTensor inner =
        Convolve(NormalizeAndRectify(x), kBottleneck * growth_, 1);
    return Concatenate()({x, Convolve(NormalizeAndRectify(inner), growth_, 3)});
  }

  // Half the channels, rows and columns.
  SymbolicTensor Shrink(const SymbolicTensor& x) const {
    const int64_t channels = x.shape()[3];
    return AveragePooling2D(2)(
        Convolve(NormalizeAndRectify(x), channels / 2, 1));
  }

 private:
  int64_t growth_;
  RegularizerPtr penalty_;
  bool synchronized_;
};

std::unique_ptr<Optimizer> MakeOptimizer(LearningRate rate) {
  return std::make_unique<Sgd>(SgdOptions{
      .learning_rate = std::move(rate), .momentum = 0.9, .nesterov = true});
}

LearningRate RateFor(const TrainingPlan& plan) {
  // The last steps of the first two rates, counted from 0.
  const int64_t half = std::max<int64_t>(plan.steps / 2 - 1, 0);
  const int64_t more = std::max(3 * plan.steps / 4 - 1, half + 1);
  return std::make_shared<PiecewiseConstantDecay>(
      std::vector{half, more}, std::vector{0.1, 0.01, 0.001});
}

}  // namespace

Model MakeDenseNet(const DenseNetModel& model) {
  const int64_t layers = LayersOfBlock(model);
  const Builder builder(model);
  const SymbolicTensor images = Input({28, 28, 1});
  SymbolicTensor x = builder.Convolve(images, 2 * model.growth, 3);
  for (int block = 0; block < kBlocks; ++block) {
    for (int64_t layer = 0; layer < layers; ++layer) x = builder.Grow(x);
    if (block + 1 < kBlocks) x = builder.Shrink(x);
  }
  x = GlobalAveragePooling2D()(builder.NormalizeAndRectify(x));
  return Model(images, Dense(10)(x));
}

Workload DenseNetFor(const WorkloadOptions& options) {
  const ChosenImages images = ChooseFashionMnist(options.data);
  return {.name = "densenet",
          .description = "DenseNet-BC, depth 22, growth 12",
          .details = {},
          .data = ImagesOf("fashion_mnist", images.source, Scaled(images.data)),
          .batch_per_replica = options.BatchOr(64),
          .warmup_steps = 5,
          .steps_per_block = 5,
          .optimizer = "sgd",
          .make_task = Classification([] { return MakeDenseNet({}); }),
          .make_optimizer = [](const TrainingPlan& plan) {
            return MakeOptimizer(RateFor(plan));
          }};
}

namespace {

// In the order in which the model's layers are made.
std::vector<WeightSpec> WeightsOf(const DenseNetModel& model) {
  std::vector<WeightSpec> weights;
  const auto convolution = [&](int64_t size, int64_t from, int64_t to) {
    weights.push_back({{size, size, from, to}, WeightKind::kMatrix});
  };
  const auto normalization = [&](int64_t channels) {
    weights.push_back({{channels}, WeightKind::kGamma});
    weights.push_back({{channels}, WeightKind::kBias});
  };
  int64_t channels = 2 * model.growth;
  const int64_t inner = kBottleneck * model.growth;
  convolution(3, 1, channels);
  for (int block = 0; block < kBlocks; ++block) {
    for (int64_t layer = 0; layer < LayersOfBlock(model); ++layer) {
      normalization(channels);
      convolution(1, channels, inner);
      normalization(inner);
      convolution(3, inner, model.growth);
      channels += model.growth;
    }
    if (block + 1 == kBlocks) break;
    normalization(channels);
    convolution(1, channels, channels / 2);
    channels /= 2;
  }
  normalization(channels);
  weights.push_back({{channels, 10}, WeightKind::kMatrix});
  weights.push_back({{10}, WeightKind::kBias});
  return weights;
}

}  // namespace

SmallWorkload SmallDenseNet(const DenseNetModel& model) {
  SmallWorkload small{
      .name = "densenet_small",
      .description = "the small DenseNet-BC",
      .optimizer = "sgd",
      .weights = WeightsOf(model),
      .batches = {},
      .make_task = Classification([model] { return MakeDenseNet(model); }),
      .make_optimizer = [] { return MakeOptimizer(0.1); }};
  uint32_t step = 0;
  for (const int64_t size : {8, 8, 8, 8, 5}) {
    small.batches.push_back(
        Structure::Tuple({Fractions(1000 + step, {size, 28, 28, 1}),
                          WholeNumbers(1100 + step, {size}, {.count = 10})}));
    ++step;
  }
  return small;
}

Workload SmallDenseNetFor(const WorkloadOptions& options) {
  return AsWorkload(SmallDenseNet(), options);
}

}  // namespace lockstep::benchmarks
