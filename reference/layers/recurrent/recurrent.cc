#include "reference/layers/recurrent/recurrent.h"

#include <memory>
#include <vector>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/base/error.h"
#include "reference/layers/may_agree.h"
#include "reference/layers/recurrent/recurrent_cell.h"

namespace lockstep {
namespace {

using layers_internal::MayAgree;

const char* NameOf(RecurrentKind kind) {
  return kind == RecurrentKind::kGru ? "gru" : "lstm";
}

}  // namespace

RecurrentImpl::RecurrentImpl(RecurrentKind kind, int64_t units,
                             const RecurrentOptions& options)
    : CompositeLayerImpl(
          options.name.empty() ? UniqueName(NameOf(kind)) : options.name,
          options.dtype),
      kind_(kind),
      units_(units),
      options_(options) {
  if (units < 1) {
    throw InvalidArgument("[{}] units must be at least 1, got {}", name(),
                          units);
  }
}

void RecurrentImpl::CheckShapes(const ShapeStructure& input_shapes) const {
  const std::vector<Shape> shapes = input_shapes.Flatten();
  bool fit = !shapes.empty() && shapes[0].rank() == 3 && shapes[0][1] != 0 &&
             shapes[0][2] != kUnknownDim;
  const auto count = static_cast<int64_t>(shapes.size()) - 1;
  fit = fit && (count == 0 || count == num_states());
  for (size_t i = 1; fit && i < shapes.size(); ++i) {
    fit = shapes[i].rank() == 2 && MayAgree(shapes[i][0], shapes[0][0]) &&
          shapes[i][1] == units_;
  }
  if (fit) return;
  throw InvalidArgument(
      "[{}] needs an input [batch, time, features] with at least one step, and "
      "no initial states or {} of [batch, {}], got {}",
      name(), num_states(), units_, ToString(input_shapes));
}

ShapeStructure RecurrentImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  CheckShapes(input_shapes);
  const Shape x = input_shapes.Flatten()[0];
  const Shape last{x[0], units_};
  const Shape y = options_.return_sequences ? x.WithDim(2, units_) : last;
  if (!options_.return_state) return y;
  std::vector<ShapeStructure> results(1 + num_states(), last);
  results[0] = y;
  return ShapeStructure::Tuple(results);
}

void RecurrentImpl::MakeWeights(const ShapeStructure& input_shapes) {
  CheckShapes(input_shapes);
  const Shape x = input_shapes.Flatten()[0];
  auto cell = std::make_shared<layers_internal::RecurrentCellImpl>(
      kind_, units_, name() + "/" + NameOf(kind_) + "_cell", options_,
      dtype_policy());
  TrackChild("cell", *cell);
  layers_.emplace_back(cell);
  layers_.back().Build(
      ShapeStructure::Tuple({x, Shape{x[0], num_states() * units_}}));
}

Structure RecurrentImpl::Call(const Structure& inputs, bool training) {
  CheckShapes(ShapesOf(inputs));
  const std::vector<Tensor> tensors = inputs.Flatten();
  const Tensor& x = tensors[0];
  const DType dtype = dtype_policy().compute_dtype();
  const int64_t width = num_states() * units_;
  std::vector<Tensor> given;
  for (size_t i = 1; i < tensors.size(); ++i) {
    given.push_back(ops::Cast(tensors[i], dtype));
  }
  const Tensor initial =
      given.empty() ? Tensor::Zeros(Shape{x.dim(0), width}, dtype, x.device())
                    : ops::Concat(given, -1);
  const Tensor states = ops::Cast(
      layers_[0](Structure::Tuple({x, initial}), training).leaf(), dtype);
  const Tensor last = ops::Reshape(ops::Slice(states, 1, x.dim(1) - 1, 1),
                                   Shape{x.dim(0), width});
  std::vector<Structure> results;
  results.push_back(options_.return_sequences
                        ? ops::Slice(states, -1, 0, units_)
                        : ops::Slice(last, -1, 0, units_));
  if (!options_.return_state) return results[0];
  for (int64_t i = 0; i < num_states(); ++i) {
    results.push_back(ops::Slice(last, -1, i * units_, units_));
  }
  return Structure::Tuple(results);
}

}  // namespace lockstep
