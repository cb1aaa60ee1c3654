// Mirrors each image of a batch with probability 1/2, in training only.
//
//   RandomFlip flip(FlipMode::kHorizontal, {.seed = 1});
//   flip(images, /*training=*/true);    // left and right exchanged, in some
//   flip(images);                       // images
//
// The draws are those of tf_keras 2.21 with the same seed, on each replica.
// (Keras 3 draws the same numbers on all replicas.)
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RANDOM_FLIP_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RANDOM_FLIP_H_

#include <memory>
#include <optional>
#include <string_view>

#include "reference/layers/layer.h"
#include "reference/preprocessing/random/flip_images.h"
#include "reference/preprocessing/random/random_image_layer.h"

namespace lockstep {

// kHorizontal exchanges left and right. With both, an image may get both flips.
enum class FlipMode { kHorizontal, kVertical, kHorizontalAndVertical };

// "horizontal", "vertical" or "horizontal_and_vertical", as Keras writes them;
// nothing for another name.
std::optional<FlipMode> FindFlipMode(std::string_view name);

using RandomFlipOptions = RandomImageOptions;

class RandomFlipImpl : public RandomImageLayerImpl {
 public:
  RandomFlipImpl(FlipMode mode, const RandomFlipOptions& options);

  LayerConfig Config() const override;

 protected:
  Tensor Transform(const Tensor& images) override;

 private:
  Tensor FlipSome(const Tensor& images, preprocessing_internal::FlipAxis axis);

  FlipMode mode_;
};

class RandomFlip : public Layer {
 public:
  explicit RandomFlip(FlipMode mode = FlipMode::kHorizontalAndVertical,
                      const RandomFlipOptions& options = {})
      : Layer(std::make_shared<RandomFlipImpl>(mode, options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RANDOM_FLIP_H_
