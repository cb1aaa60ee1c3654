// precision.*: policies of layers.
// layer.*: layers with weights.

#include <memory>
#include <string>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/layers/batch_normalization.h"
#include "reference/layers/core_layers.h"
#include "reference/layers/image_layers.h"
#include "reference/layers/layer.h"
#include "reference/layers/transformer/dropout.h"
#include "reference/regularizers/regularizer.h"

namespace lockstep::conformance {
namespace {

Value Policy(const StepCall& call) {
  const DTypePolicy policy(call.Text("name"));
  return Json{{"name", policy.name()},
              {"compute_dtype", DTypeName(policy.compute_dtype())},
              {"variable_dtype", DTypeName(policy.variable_dtype())}};
}

Value SetPolicy(const StepCall& call) {
  SetDTypePolicy(DTypePolicy(call.Text("name")));
  return Nothing();
}

}  // namespace

void AddPrecisionSteps(StepTable& table) {
  table.Add("precision.policy", Policy);
  table.Add("precision.set_policy", SetPolicy);
}

namespace {

Initializer Exactly(const Tensor& value) {
  return [value](const Shape&, Random&) { return value.Clone(); };
}

// The options that layers with a kernel have in common.
template <typename Options>
Options WeightsAndActivation(const StepCall& call, const Tensor& kernel) {
  Options options{.use_bias = call.Has("bias"),
                  .kernel_initializer = Exactly(kernel)};
  if (call.Has("activation")) {
    options.activation = ParseActivation(call.Text("activation"));
  }
  if (options.use_bias) {
    options.bias_initializer =
        Exactly(ToTensor(call.Argument("bias"), DType::kFloat32));
  }
  return options;
}

Value MakeDense(const StepCall& call) {
  const Tensor kernel = ToTensor(call.Argument("kernel"), DType::kFloat32);
  if (kernel.rank() != 2) throw ProgramError("a kernel is a list of rows");
  auto options = WeightsAndActivation<DenseOptions>(call, kernel);
  if (call.Has("kernel_l2")) {
    options.kernel_regularizer =
        std::make_shared<L2>(call.Number("kernel_l2", 0));
  }
  if (call.Has("policy")) options.dtype = DTypePolicy(call.Text("policy"));
  const Dense layer(kernel.dim(1), options);
  layer.Build(Shape{kUnknownDim, kernel.dim(0)});
  return Layer(layer);
}

Value MakeBatchNormalization(const StepCall& call) {
  const int64_t channels = call.Integer("channels");
  const auto axis = static_cast<int>(call.Integer("axis", -1));
  const BatchNormalization layer(
      {.axis = axis,
       .momentum = call.Number("momentum", 0.99),
       .epsilon = call.Number("epsilon", 1e-3),
       .synchronized = call.Boolean("synchronized")});
  layer.Build(axis == -1
                  ? Shape{kUnknownDim, channels}
                  : Shape{kUnknownDim, channels, kUnknownDim, kUnknownDim});
  return Layer(layer);
}

Value MakeConvolution(const StepCall& call) {
  const Tensor kernel = ToTensor(call.Argument("kernel"), DType::kFloat32);
  if (kernel.rank() != 4) throw ProgramError("a kernel has four dimensions");
  const auto options = WeightsAndActivation<Conv2DOptions>(call, kernel);
  const Conv2D layer(kernel.dim(3), Size2D(kernel.dim(0), kernel.dim(1)),
                     options);
  layer.Build(Shape{kUnknownDim, kernel.dim(0), kernel.dim(1), kernel.dim(2)});
  return Layer(layer);
}

Value MakeFlatten(const StepCall&) { return Layer(Flatten()); }

Value MakeMaxPooling(const StepCall& call) {
  return Layer(
      MaxPooling2D(Size2D(call.Integer("rows"), call.Integer("columns"))));
}

Value MakeDropout(const StepCall& call) {
  DropoutOptions options;
  if (call.Has("seed")) options.seed = call.Integer("seed");
  return Layer(Dropout(call.Number("rate", 0), options));
}

Layer LayerOrModel(const StepCall& call) {
  const Value of = call.Find("of");
  if (const auto* model = std::get_if<Model>(&of)) return *model;
  return StepCall::Held<Layer>(of, "of");
}

Value Call(const StepCall& call) {
  return Structure(
      LayerOrModel(call)(call.GetTensor("inputs"), call.Boolean("training")));
}

Value Weight(const StepCall& call) {
  const Layer layer = call.Get<Layer>("of");
  const std::string name = layer.name() + "/" + call.Text("weight");
  for (const VariablePtr& variable : layer.variables()) {
    if (variable->name() == name) return variable;
  }
  throw ProgramError("there is no weight " + name);
}

}  // namespace

void AddLayerSteps(StepTable& table) {
  table.Add("layer.batch_normalization", MakeBatchNormalization);
  table.Add("layer.call", Call);
  table.Add("layer.convolution", MakeConvolution);
  table.Add("layer.dense", MakeDense);
  table.Add("layer.dropout", MakeDropout);
  table.Add("layer.flatten", MakeFlatten);
  table.Add("layer.max_pooling", MakeMaxPooling);
  table.Add("layer.weight", Weight);
}

}  // namespace lockstep::conformance
