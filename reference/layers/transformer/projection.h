// A dense layer from and to several axes: what Keras calls EinsumDense, as far
// as attention needs it.
#ifndef LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_PROJECTION_H_
#define LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_PROJECTION_H_

#include <optional>
#include <string>

#include "reference/layers/initializers.h"
#include "reference/layers/layer_impl.h"

namespace lockstep::layers_internal {

struct ProjectionOptions {
  int contracted_axes;  // at the end of the input; the others are kept
  Shape outputs;        // the axes that come in their place
  bool use_bias = true;
  Initializer kernel_initializer;
  Initializer bias_initializer;
  RegularizerPtr kernel_regularizer;
  RegularizerPtr bias_regularizer;
  std::optional<DTypePolicy> dtype;
};

// [N, T, d] with {.contracted_axes = 1, .outputs = {H, D}} -> [N, T, H, D]: the
// kernel is [d, H, D], the bias [H, D].
class ProjectionImpl : public TensorLayerImpl {
 public:
  ProjectionImpl(const std::string& name, const ProjectionOptions& options);

  // Errors: InvalidArgument for too few axes, or unknown ones at the end.
  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  void MakeWeights(const Shape& input_shape) override;
  Tensor Call(const Tensor& x, bool training) override;

 private:
  ProjectionOptions options_;
  VariablePtr kernel_;
  VariablePtr bias_;  // nullptr without one
};

}  // namespace lockstep::layers_internal

#endif  // LOCKSTEP_REFERENCE_LAYERS_TRANSFORMER_PROJECTION_H_
