// precision.* and layer.*: policies, and layers that follow them.
#include <map>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/layers/dense.h"
#include "reference/layers/dtype_policy.h"

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

Initializer Exactly(const Tensor& value) {
  return [value](const Shape&, Random&) { return value.Clone(); };
}

Value MakeDense(const StepCall& call) {
  const Tensor kernel = ToTensor(call.Argument("kernel"), DType::kFloat32);
  if (kernel.rank() != 2) throw ProgramError("a kernel is a list of rows");
  DenseOptions options{.use_bias = call.Has("bias"),
                       .kernel_initializer = Exactly(kernel)};
  if (call.Has("activation")) {
    options.activation = ParseActivation(call.Text("activation"));
  }
  if (options.use_bias) {
    options.bias_initializer =
        Exactly(ToTensor(call.Argument("bias"), DType::kFloat32));
  }
  if (call.Has("policy")) options.dtype = DTypePolicy(call.Text("policy"));
  LayerPtr layer = std::make_shared<Dense>(kernel.dim(1), options);
  layer->Build(Shape{kUnknownDim, kernel.dim(0)});
  return layer;
}

Value Call(const StepCall& call) {
  return Structure((*call.Get<LayerPtr>("of"))(call.GetTensor("inputs")));
}

Value Weight(const StepCall& call) {
  const std::vector<VariablePtr> weights =
      call.Get<LayerPtr>("of")->variables();
  const std::map<std::string, size_t> places = {{"kernel", 0}, {"bias", 1}};
  return weights.at(call.Choose(places, "weight"));
}

}  // namespace

void AddPrecisionSteps(StepTable& table) {
  table.Add("precision.policy", Policy);
  table.Add("precision.set_policy", SetPolicy);
  table.Add("layer.dense", MakeDense);
  table.Add("layer.call", Call);
  table.Add("layer.weight", Weight);
}

}  // namespace lockstep::conformance
