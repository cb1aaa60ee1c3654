#include "reference/layers/transformer/multi_head_attention.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/autodiff/ops/array_ops.h"
#include "reference/autodiff/ops/nn_ops.h"
#include "reference/base/error.h"
#include "reference/layers/initializers.h"
#include "reference/layers/layer_config.h"
#include "reference/layers/layer_impl.h"
#include "reference/layers/may_agree.h"

namespace lockstep {
namespace {

using layers_internal::MayAgree;

struct ProjectionOptions {
  int contracted_axes;  // at the end of the input; the others are kept
  Shape outputs;        // the axes that replace them
  bool use_bias = true;
  Initializer kernel_initializer;
  Initializer bias_initializer;
  RegularizerPtr kernel_regularizer;
  RegularizerPtr bias_regularizer;
  std::optional<DTypePolicy> dtype;
};

// A dense layer from and to several axes: the part of Keras' EinsumDense that
// attention needs.
//
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
  VariablePtr bias_;  // nullptr if there is none
};

// Concatenates the axes of two shapes.
Shape Joined(std::span<const int64_t> head, std::span<const int64_t> tail) {
  std::vector<int64_t> dims(head.begin(), head.end());
  dims.insert(dims.end(), tail.begin(), tail.end());
  return Shape(dims);
}

ProjectionImpl::ProjectionImpl(const std::string& name,
                               const ProjectionOptions& options)
    : TensorLayerImpl(name, options.dtype), options_(options) {}

Shape ProjectionImpl::ComputeOutputShape(const Shape& input_shape) const {
  const int kept = input_shape.rank() - options_.contracted_axes;
  bool known = kept >= 1;
  for (int axis = kept; known && axis < input_shape.rank(); ++axis) {
    known = input_shape[axis] != kUnknownDim;
  }
  if (!known) {
    throw InvalidArgument(
        "[{}] needs a batch axis and {} last axes of known size, got {}",
        name(), options_.contracted_axes, ToString(input_shape));
  }
  return Joined(input_shape.dims().first(kept), options_.outputs.dims());
}

void ProjectionImpl::MakeWeights(const Shape& input_shape) {
  ComputeOutputShape(input_shape);  // throws for wrong arguments
  kernel_ = AddWeight(
      {.name = "kernel",
       .checkpoint_name = "_kernel",
       .shape = Joined(input_shape.dims().last(options_.contracted_axes),
                       options_.outputs.dims()),
       .initializer = options_.kernel_initializer,
       .regularizer = options_.kernel_regularizer});
  if (!options_.use_bias) return;
  bias_ = AddWeight({.name = "bias",
                     .checkpoint_name = "bias",
                     .shape = options_.outputs,
                     .initializer = options_.bias_initializer,
                     .regularizer = options_.bias_regularizer});
}

Tensor ProjectionImpl::Call(const Tensor& x, bool /*training*/) {
  const Shape output_shape = ComputeOutputShape(x.shape());
  const int64_t outputs = options_.outputs.num_elements();
  const int64_t inputs = kernel_->shape().num_elements() / outputs;
  const Shape contracted(x.shape().dims().last(options_.contracted_axes));
  if (contracted.num_elements() != inputs) {
    throw InvalidArgument(
        "[{}] was built for {} elements in the last axes, got {}", name(),
        inputs, Describe(x));
  }
  const int64_t rows = output_shape.num_elements() / outputs;
  const Tensor bias =
      bias_ ? ops::Reshape(Read(bias_), Shape{outputs}) : Tensor();
  const Tensor y =
      ops::Dense(ops::Reshape(x, Shape{rows, inputs}),
                 ops::Reshape(Read(kernel_), Shape{inputs, outputs}), bias);
  return ops::Reshape(y, output_shape);
}

// In the order in which Keras makes the weights.
enum Part { kQuery, kKey, kValue, kOutput };

// The query, the key and the value.
struct AttentionShapes {
  Shape query, key, value;
};

bool Fit(const std::vector<Shape>& shapes) {
  if (shapes.size() != 2 && shapes.size() != 3) return false;
  for (const Shape& shape : shapes) {
    if (shape.rank() != 3 || shape[2] == kUnknownDim) return false;
    if (!MayAgree(shape[0], shapes[0][0])) return false;
  }
  return MayAgree(shapes.back()[1], shapes[1][1]);
}

// Whether `mask` is [batch, keys] of these values, or may be.
bool Masks(const Shape& mask, const Shape& value) {
  return mask.rank() == 2 && MayAgree(mask[0], value[0]) &&
         MayAgree(mask[1], value[1]);
}

AttentionShapes CheckedShapes(const ShapeStructure& input_shapes,
                              bool has_mask) {
  std::vector<Shape> shapes = input_shapes.Flatten();
  bool fit = true;
  if (has_mask) {
    fit = shapes.size() >= 3 && Fit({shapes.begin(), shapes.end() - 1}) &&
          Masks(shapes.back(), shapes[1]);
    if (fit) shapes.pop_back();
  }
  if (!fit || !Fit(shapes)) {
    throw InvalidArgument(
        "[MultiHeadAttention] needs a query, values and perhaps as many keys, "
        "each [batch, positions, size]{}, got {}",
        has_mask ? ", and a mask [batch, keys]" : "", ToString(input_shapes));
  }
  return {shapes[0], shapes.back(), shapes[1]};
}

void CheckPositive(const char* what, int64_t number) {
  if (number >= 1) return;
  throw InvalidArgument("[MultiHeadAttention] {} must be at least 1, got {}",
                        what, number);
}

}  // namespace

MultiHeadAttentionImpl::MultiHeadAttentionImpl(
    int64_t num_heads, int64_t key_dim,
    const MultiHeadAttentionOptions& options)
    : CompositeLayerImpl(options.name.empty()
                             ? UniqueName("multi_head_attention")
                             : options.name,
                         options.dtype),
      num_heads_(num_heads),
      key_dim_(key_dim),
      value_dim_(options.value_dim.value_or(key_dim)),
      options_(options) {
  CheckPositive("num_heads", num_heads_);
  CheckPositive("key_dim", key_dim_);
  CheckPositive("value_dim", value_dim_);
}

ShapeStructure MultiHeadAttentionImpl::ComputeOutputShape(
    const ShapeStructure& input_shapes) const {
  return CheckedShapes(input_shapes, options_.use_key_mask).query;
}

void MultiHeadAttentionImpl::AddProjection(const char* name,
                                           const char* checkpoint_name,
                                           const Shape& input_shape,
                                           const Shape& outputs) {
  auto projection = std::make_shared<ProjectionImpl>(
      this->name() + "/" + name,
      ProjectionOptions{.contracted_axes = input_shape.rank() - 2,
                        .outputs = outputs,
                        .use_bias = options_.use_bias,
                        .kernel_initializer = options_.kernel_initializer,
                        .bias_initializer = options_.bias_initializer,
                        .kernel_regularizer = options_.kernel_regularizer,
                        .bias_regularizer = options_.bias_regularizer,
                        .dtype = dtype_policy()});
  TrackChild(checkpoint_name, *projection);
  layers_.emplace_back(projection);
  layers_.back().Build(input_shape);
}

void MultiHeadAttentionImpl::MakeWeights(const ShapeStructure& input_shapes) {
  const AttentionShapes shapes =
      CheckedShapes(input_shapes, options_.use_key_mask);
  const Shape heads_of_keys{num_heads_, key_dim_};
  const Shape heads_of_values{num_heads_, value_dim_};
  AddProjection("query", "_query_dense", shapes.query, heads_of_keys);
  AddProjection("key", "_key_dense", shapes.key, heads_of_keys);
  AddProjection("value", "_value_dense", shapes.value, heads_of_values);
  AddProjection("attention_output", "_output_dense",
                Shape{kUnknownDim, kUnknownDim, num_heads_, value_dim_},
                Shape{shapes.query[2]});
}

Structure MultiHeadAttentionImpl::Call(const Structure& inputs,
                                       bool /*training*/) {
  CheckedShapes(ShapesOf(inputs), options_.use_key_mask);
  std::vector<Tensor> tensors = inputs.Flatten();
  kernels::AttentionOptions options = {.causal = options_.use_causal_mask};
  if (options_.use_key_mask) {
    options.seen_keys = tensors.back().Cast(DType::kBool);
    tensors.pop_back();
  }
  const Tensor query = layers_[kQuery](tensors[0]);
  const Tensor key = layers_[kKey](tensors.back());
  const Tensor value = layers_[kValue](tensors[1]);
  const DType dtype = query.dtype();
  const Tensor attended = ops::Attention(ops::Widened(query), ops::Widened(key),
                                         ops::Widened(value), options);
  return layers_[kOutput](ops::Cast(attended, dtype));
}

LayerConfig MultiHeadAttentionImpl::Config() const {
  LayerConfig config = StartConfig("MultiHeadAttention", *this);
  if (options_.use_causal_mask || options_.use_key_mask) {
    throw Unimplemented(
        "[Config] '{}' has a mask, which Keras passes to each call: files "
        "cannot store it",
        name());
  }
  config.config.update(
      {{"num_heads", num_heads_},
       {"key_dim", key_dim_},
       {"value_dim", value_dim_},
       {"dropout", 0.0},
       {"use_bias", options_.use_bias},
       {"kernel_regularizer", RegularizerConfig(options_.kernel_regularizer)},
       {"bias_regularizer", RegularizerConfig(options_.bias_regularizer)}});
  return config;
}

}  // namespace lockstep
