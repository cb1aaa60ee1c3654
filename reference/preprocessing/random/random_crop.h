// Cuts a window of a size out of images, at a random place in training.
//
//   RandomCrop crop(24, 24, {.seed = 1});
//   crop(images, /*training=*/true);    // [64, 28, 28, 1] -> [64, 24, 24, 1]
//   crop(images);                       // the same shape
//
// All images of a batch are cut at one place; batches and replicas at different
// ones, those of tf_keras 2.21 with the same seed. At inference, and in
// training for smaller images, the largest window in the middle that has the
// shape of the target is resized, as Keras documents. (Keras 3 returns the
// images as they are at inference.)
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RANDOM_CROP_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RANDOM_CROP_H_

#include <cstdint>
#include <memory>

#include "reference/layers/layer.h"
#include "reference/preprocessing/random/random_image_layer.h"

namespace lockstep {

using RandomCropOptions = RandomImageOptions;

class RandomCropImpl : public RandomImageLayerImpl {
 public:
  RandomCropImpl(int64_t height, int64_t width,
                 const RandomCropOptions& options);

  // Errors: InvalidArgument for other ranks than 4.
  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  Tensor Transform(const Tensor& images) override;
  // Errors: InvalidArgument for images without pixels; Unimplemented on a GPU.
  Tensor Infer(const Tensor& images) const override;

 private:
  int64_t height_;
  int64_t width_;
};

class RandomCrop : public Layer {
 public:
  // Errors: InvalidArgument for sizes below 1.
  RandomCrop(int64_t height, int64_t width,
             const RandomCropOptions& options = {})
      : Layer(std::make_shared<RandomCropImpl>(height, width, options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RANDOM_CROP_H_
