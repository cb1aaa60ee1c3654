// gradient.*: differentiation under a tape.
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/autodiff/gradient_tape.h"

namespace lockstep::conformance {
namespace {

struct Sources {
  std::vector<VariablePtr> variables;
  std::vector<Tensor> tensors;
};

Sources GetSources(const StepCall& call) {
  Sources sources;
  for (const Json& name : call.Argument("sources")) {
    const Value value = call.environment().Find(name.get<std::string>());
    if (const auto* variable = std::get_if<VariablePtr>(&value)) {
      sources.variables.push_back(*variable);
    } else {
      sources.tensors.push_back(StepCall::Held<Structure>(value, name).leaf());
    }
  }
  if (!sources.variables.empty() && !sources.tensors.empty()) {
    throw ProgramError("sources are variables or values, not both");
  }
  return sources;
}

Value Tape(const StepCall& call) {
  const Sources sources = GetSources(call);
  GradientTape tape;
  for (const Tensor& tensor : sources.tensors) tape.Watch(tensor);
  call.RunBlockHere();
  const Tensor target = call.GetTensor("target");
  std::vector<Structure> gradients;
  for (const std::optional<Tensor>& gradient :
       sources.tensors.empty() ? tape.Gradient(target, sources.variables)
                               : tape.Gradient(target, sources.tensors)) {
    gradients.push_back(gradient.value_or(Tensor()));
  }
  return Structure::Tuple(std::move(gradients));
}

}  // namespace

void AddGradientSteps(StepTable& table) { table.Add("gradient.tape", Tape); }

}  // namespace lockstep::conformance
