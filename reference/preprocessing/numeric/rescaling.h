// Multiplies numbers by a constant and adds another.
//
//   Rescaling rescaling(1 / 255.0);
//   rescaling(images);   // uint8 0..255 to float32 0..1
//
// Integers are cast to the compute type first.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_RESCALING_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_RESCALING_H_

#include <memory>
#include <optional>
#include <string>

#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"

namespace lockstep {

struct RescalingOptions {
  std::optional<DTypePolicy> dtype =
      std::nullopt;       // default: the global policy
  std::string name = "";  // "rescaling", "rescaling_1", ... by default
};

class RescalingImpl : public TensorLayerImpl {
 public:
  RescalingImpl(double scale, double offset, const RescalingOptions& options);

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  // Errors: InvalidArgument for strings.
  Tensor Call(const Tensor& x, bool training) override;

 private:
  double scale_;
  double offset_;
};

class Rescaling : public Layer {
 public:
  explicit Rescaling(double scale, double offset = 0,
                     const RescalingOptions& options = {})
      : Layer(std::make_shared<RescalingImpl>(scale, offset, options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_NUMERIC_RESCALING_H_
