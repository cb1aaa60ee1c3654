// Rotates each image of a batch by its own random angle, in training only.
//
//   RandomRotation rotation(0.1);                   // up to 36 degrees
//   RandomRotation left({0, 0.25}, {.seed = 1});    // up to 90 degrees, only
//   left(images, /*training=*/true);                // counter-clockwise
//
// Fill modes and interpolation are those of TensorFlow (resampling.h). Angles
// are uniform, from a stream for each call and replica, so they differ from
// Keras'.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RANDOM_ROTATION_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RANDOM_ROTATION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reference/layers/layer.h"
#include "reference/preprocessing/random/random_image_layer.h"
#include "reference/preprocessing/random/resampling.h"

namespace lockstep {

// Fractions of a whole turn; positive ones are counter-clockwise. One number is
// the range from minus to plus this number.
struct RotationRange {
  RotationRange(double both) : lower(-both), upper(both) {}  // NOLINT: Keras'
  RotationRange(double lower, double upper) : lower(lower), upper(upper) {}

  double lower;
  double upper;
};

// "constant", "reflect", "wrap", "nearest"; nullopt for other names.
std::optional<FillMode> FindFillMode(std::string_view name);

struct RandomRotationOptions {
  FillMode fill_mode = FillMode::kReflect;
  Interpolation interpolation = Interpolation::kBilinear;
  double fill_value = 0;  // of kConstant
  // The following as in RandomImageOptions.
  std::optional<int64_t> seed = std::nullopt;
  std::optional<DTypePolicy> dtype = std::nullopt;
  std::string name = "";  // "random_rotation", ... by default
};

class RandomRotationImpl : public RandomImageLayerImpl {
 public:
  RandomRotationImpl(RotationRange factor,
                     const RandomRotationOptions& options);

  LayerConfig Config() const override;

 protected:
  Tensor Transform(const Tensor& images) override;

 private:
  RotationRange factor_;
  RandomRotationOptions options_;
};

class RandomRotation : public Layer {
 public:
  // Errors: InvalidArgument for a factor outside [-1, 1], or whose lower end is
  // above the upper one.
  explicit RandomRotation(RotationRange factor,
                          const RandomRotationOptions& options = {})
      : Layer(std::make_shared<RandomRotationImpl>(factor, options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_RANDOM_RANDOM_ROTATION_H_
