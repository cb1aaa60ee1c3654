// A skip connection: main(x) + shortcut(x), the unit of residual networks (He,
// Zhang, Ren and Sun, "Deep residual learning for image recognition", 2015).
//
//   Residual block(std::make_shared<Sequential>(...));    // relu(main(x) + x)
//   Residual(main, projection);             // relu(main(x) + projection(x))
//   Residual(main, nullptr, {.relu = false});             // main(x) + x
//
// Where `main` ends with a BatchNormalization the addition and the ReLU run in
// its kernel.
#ifndef LOCKSTEP_REFERENCE_LAYERS_RESIDUAL_H_
#define LOCKSTEP_REFERENCE_LAYERS_RESIDUAL_H_

#include <string>

#include "reference/layers/composite_layer.h"

namespace lockstep {

struct ResidualOptions {
  bool relu = true;
  std::string name = "";  // "residual", "residual_1", ... by itself
};

class Residual : public CompositeLayer {
 public:
  // Without a shortcut x itself is added. Errors: InvalidArgument without a
  // main layer.
  explicit Residual(LayerPtr main, LayerPtr shortcut = nullptr,
                    const ResidualOptions& options = {});

  // Errors: InvalidArgument where the two outputs have different shapes.
  Shape ComputeOutputShape(const Shape& input_shape) const override;

 protected:
  void MakeWeights(const Shape& input_shape) override;
  Tensor Call(const Tensor& x, bool training) override;

 private:
  Layer& main() const { return *layers_[0]; }
  Layer* shortcut() const {
    return layers_.size() > 1 ? layers_[1].get() : nullptr;
  }

  bool relu_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_RESIDUAL_H_
