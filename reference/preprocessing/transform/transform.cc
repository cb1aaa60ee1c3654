#include "reference/preprocessing/transform/transform.h"

#include <utility>
#include <vector>

#include "reference/device/device.h"
#include "reference/preprocessing/numeric/discretization.h"
#include "reference/preprocessing/numeric/normalization.h"
#include "reference/preprocessing/transform/transform_facts.h"
#include "reference/preprocessing/words/lookup.h"

namespace lockstep {
namespace {

using preprocessing_internal::ColumnFacts;

Layer MakeNormalization(const ColumnFacts& facts, const std::string& name) {
  const auto tensor = [&](const std::vector<float>& values) {
    return facts.is_scalar
               ? Tensor::Scalar(values.front(), Device::Host())
               : Tensor::FromVector(values, Shape{std::ssize(values)},
                                    Device::Host());
  };
  const std::vector<int> axis =
      facts.is_scalar ? std::vector<int>() : std::vector<int>{-1};
  const Normalization layer({.axis = axis,
                             .mean = tensor(facts.mean),
                             .variance = tensor(facts.variance),
                             .dtype = DTypePolicy("float32"),
                             .name = name});
  return layer;
}

Layer MakeColumnLayer(const ColumnFacts& facts, const std::string& name) {
  switch (facts.column.kind) {
    case TransformKind::kZScore:
      return MakeNormalization(facts, name);
    case TransformKind::kBins:
      return Discretization({.bin_boundaries = facts.boundaries, .name = name});
    default:
      return StringLookup({.num_oov_indices = facts.column.num_oov_indices,
                           .vocabulary_file = facts.vocabulary_file,
                           .name = name});
  }
}

// What the columns give, in the form of the element.
template <typename Leaf>
Nest<Leaf> Arrange(const Recipe& recipe, NestKind kind,
                   const std::vector<Leaf>& outputs) {
  if (kind != NestKind::kDict && outputs.size() == 1) return outputs.front();
  if (kind != NestKind::kDict) {
    return Nest<Leaf>::Tuple({outputs.begin(), outputs.end()});
  }
  std::vector<std::pair<std::string, Nest<Leaf>>> items;
  for (size_t i = 0; i < recipe.size(); ++i) {
    items.emplace_back(recipe[i].output, outputs[i]);
  }
  return Nest<Leaf>::Dict(items);
}

}  // namespace

TransformImpl::TransformImpl(const std::string& folder, const std::string& name)
    : HostLayer("transform", name) {
  for (const ColumnFacts& facts : preprocessing_internal::ReadFacts(folder)) {
    recipe_.push_back(facts.column);
    const Layer layer =
        MakeColumnLayer(facts, this->name() + "/" + facts.column.output);
    // Threads of a dataset may be the first to call it.
    if (!layer.built()) {
      const bool vectors = !facts.mean.empty() && !facts.is_scalar;
      layer.Build(vectors ? Shape{kUnknownDim, std::ssize(facts.mean)}
                          : Shape{kUnknownDim});
    }
    layers_.push_back(layer);
  }
}

ShapeStructure TransformImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  std::vector<Shape> outputs;
  for (size_t i = 0; i < recipe_.size(); ++i) {
    outputs.push_back(
        layers_[i].ComputeOutputShape(InputOf(recipe_[i], input_shapes)));
  }
  return Arrange(recipe_, input_shapes.kind(), outputs);
}

Structure TransformImpl::Call(const Structure& inputs, bool training) {
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < recipe_.size(); ++i) {
    const Tensor& x = InputOf(recipe_[i], inputs);
    if (x.rank() > 0) {
      outputs.push_back(layers_[i](x, training));
    } else {
      outputs.push_back(layers_[i](x.Reshape({1}), training).Reshape({}));
    }
  }
  return Arrange(recipe_, inputs.kind(), outputs);
}

}  // namespace lockstep
