#include "reference/preprocessing/random/random_crop.h"

#include <algorithm>
#include <span>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/error.h"
#include "reference/kernels/movement/movement.h"
#include "reference/layers/layer_config.h"
#include "reference/preprocessing/random/resampling.h"

namespace lockstep {
namespace {

// Keras draws places below this, the largest int32, and takes the remainder.
constexpr uint32_t kPlaces = 2147483647;

// Rows top.. and columns left.. of all images: the inverse of padding.
Tensor CutOut(const Tensor& x, int64_t top, int64_t left, int64_t rows,
              int64_t columns) {
  const kernels::Pad2DOptions border{.top = top,
                                     .bottom = x.dim(1) - top - rows,
                                     .left = left,
                                     .right = x.dim(2) - left - columns};
  Tensor y = kernels::Pad2DBackward(x, border);
  RecordOperation({x}, y, [border](const Tensor& dy, std::span<const bool>) {
    return Gradients{kernels::Pad2D(dy, border)};
  });
  return y;
}

}  // namespace

RandomCropImpl::RandomCropImpl(int64_t height, int64_t width,
                               const RandomCropOptions& options)
    : RandomImageLayerImpl("RandomCrop", "random_crop", options),
      height_(height),
      width_(width) {
  if (height < 1 || width < 1) {
    throw InvalidArgument(
        "[RandomCrop] height and width must be at least 1, got {} and {}",
        height, width);
  }
}

Shape RandomCropImpl::ComputeOutputShape(const Shape& input_shape) const {
  return RandomImageLayerImpl::ComputeOutputShape(input_shape)
      .WithDim(1, height_)
      .WithDim(2, width_);
}

Tensor RandomCropImpl::Transform(const Tensor& images) {
  // Drawn in any case, so that later places do not depend on sizes.
  Random random = generator().Draw(class_name(), 2);
  const int64_t row = random.Next32() % kPlaces;
  const int64_t column = random.Next32() % kPlaces;
  const int64_t more_rows = images.dim(1) - height_;
  const int64_t more_columns = images.dim(2) - width_;
  if (more_rows < 0 || more_columns < 0) return Infer(images);
  return CutOut(images, row % (more_rows + 1), column % (more_columns + 1),
                height_, width_);
}

Tensor RandomCropImpl::Infer(const Tensor& images) const {
  const int64_t rows = images.dim(1), columns = images.dim(2);
  if (rows < 1 || columns < 1) {
    throw InvalidArgument("[RandomCrop] images must have pixels, got {}",
                          Describe(images));
  }
  if (!images.on_host()) {
    throw Unimplemented("[RandomCrop] has no kernel to resize on {}",
                        images.device().name());
  }
  const preprocessing_internal::ImageSize window{
      std::clamp<int64_t>(columns * height_ / width_, 1, rows),
      std::clamp<int64_t>(rows * width_ / height_, 1, columns)};
  const Tensor middle =
      CutOut(images, (rows - window.rows) / 2, (columns - window.columns) / 2,
             window.rows, window.columns);
  const auto resize =
      preprocessing_internal::ResizeTo(window, {height_, width_});
  return preprocessing_internal::Resample(middle,
                                          [resize](int64_t) { return resize; });
}

LayerConfig RandomCropImpl::Config() const {
  LayerConfig config = AddSeed(StartConfig("RandomCrop", *this));
  config.config.update({{"height", height_}, {"width", width_}});
  return config;
}

}  // namespace lockstep
