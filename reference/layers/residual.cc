#include "reference/layers/residual.h"

#include <utility>

#include "reference/autodiff/unique_name.h"
#include "reference/base/error.h"

namespace lockstep {

Residual::Residual(LayerPtr main, LayerPtr shortcut,
                   const ResidualOptions& options)
    : CompositeLayer(options.name.empty() ? UniqueName("residual")
                                          : options.name),
      relu_(options.relu) {
  if (main == nullptr) {
    throw InvalidArgument("[Residual] '{}' needs a main layer", name());
  }
  layers_.push_back(std::move(main));
  if (shortcut != nullptr) layers_.push_back(std::move(shortcut));
}

Shape Residual::ComputeOutputShape(const Shape& input_shape) const {
  const Shape shape = main().ComputeOutputShape(input_shape);
  const Shape added = shortcut() == nullptr
                          ? input_shape
                          : shortcut()->ComputeOutputShape(input_shape);
  if (shape != added) {
    throw InvalidArgument(
        "[Residual] '{}' adds {} to {}: give it a shortcut that fits", name(),
        ToString(added), ToString(shape));
  }
  return shape;
}

void Residual::MakeWeights(const Shape& input_shape) {
  ComputeOutputShape(input_shape);  // for its errors
  main().Build(input_shape);
  TrackChild("main", main());
  if (shortcut() == nullptr) return;
  shortcut()->Build(input_shape);
  TrackChild("shortcut", *shortcut());
}

Tensor Residual::Call(const Tensor& x, bool training) {
  const Tensor added = shortcut() == nullptr ? x : (*shortcut())(x, training);
  return main()(x, training, {.addend = added, .relu = relu_});
}

}  // namespace lockstep
