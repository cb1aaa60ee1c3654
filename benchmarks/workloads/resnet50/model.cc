#include "benchmarks/workloads/resnet50/model.h"

#include <vector>

#include "reference/layers/batch_normalization.h"
#include "reference/layers/conv2d.h"
#include "reference/layers/dense.h"
#include "reference/layers/global_average_pooling2d.h"
#include "reference/layers/max_pooling2d.h"
#include "reference/layers/relu.h"
#include "reference/layers/residual.h"
#include "reference/layers/zero_padding2d.h"
#include "reference/regularizers/l2.h"

namespace lockstep::benchmarks {
namespace {

using Layers = std::vector<LayerPtr>;

constexpr int64_t kExpansion = 4;  // a block's outputs over its inner channels

// The layers of one network, with what they share.
class Builder {
 public:
  explicit Builder(const ResNet50Model& model)
      : penalty_(model.l2 > 0 ? std::make_shared<L2>(model.l2) : nullptr),
        synchronized_(model.synchronized) {}

  // A convolution without bias and its normalization. Padding is the same on
  // both sides, unlike SAME with strides.
  void Convolve(Layers& layers, int64_t filters, int64_t size,
                int64_t stride) const {
    const bool pads = size > 1 && stride > 1;
    if (pads) layers.push_back(std::make_shared<ZeroPadding2D>(size / 2));
    layers.push_back(std::make_shared<Conv2D>(
        filters, size,
        Conv2DOptions{.strides = stride,
                      .padding = pads ? Padding::kValid : Padding::kSame,
                      .use_bias = false,
                      .kernel_regularizer = penalty_}));
    layers.push_back(
        std::make_shared<BatchNormalization>(BatchNormalizationOptions{
            .momentum = 0.9, .epsilon = 1e-5, .synchronized = synchronized_}));
  }

  // 1 x 1 down to `inner` channels, 3 x 3, 1 x 1 up; a convolution of the
  // input is added where sizes or channels change.
  LayerPtr Bottleneck(int64_t inner, int64_t stride, bool project) const {
    Layers main, shortcut;
    Convolve(main, inner, 1, 1);
    main.push_back(std::make_shared<ReLU>());
    Convolve(main, inner, 3, stride);
    main.push_back(std::make_shared<ReLU>());
    Convolve(main, kExpansion * inner, 1, 1);
    auto path = std::make_shared<Sequential>(main);
    if (!project) return std::make_shared<Residual>(path);
    Convolve(shortcut, kExpansion * inner, 1, stride);
    return std::make_shared<Residual>(path,
                                      std::make_shared<Sequential>(shortcut));
  }

  LayerPtr Classify(int64_t classes) const {
    return std::make_shared<Dense>(
        classes, DenseOptions{.kernel_regularizer = penalty_});
  }

 private:
  RegularizerPtr penalty_;
  bool synchronized_;
};

}  // namespace

std::unique_ptr<Sequential> MakeResNet50(const ResNet50Model& model) {
  const Builder builder(model);
  Layers layers;
  builder.Convolve(layers, model.width, 7, 2);
  layers.push_back(std::make_shared<ReLU>());
  layers.push_back(std::make_shared<ZeroPadding2D>(1));
  layers.push_back(
      std::make_shared<MaxPooling2D>(3, MaxPooling2DOptions{.strides = 2}));
  for (size_t stage = 0; stage < model.blocks.size(); ++stage) {
    for (int64_t block = 0; block < model.blocks[stage]; ++block) {
      const int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      layers.push_back(
          builder.Bottleneck(model.width << stage, stride, block == 0));
    }
  }
  layers.push_back(std::make_shared<GlobalAveragePooling2D>());
  layers.push_back(builder.Classify(model.classes));
  auto network = std::make_unique<Sequential>(layers);
  network->Build(Shape{kUnknownDim, model.image_size, model.image_size, 3});
  return network;
}

}  // namespace lockstep::benchmarks
