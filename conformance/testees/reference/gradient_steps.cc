// gradient.*: differentiation under a tape.
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/autodiff/gradient_tape.h"

namespace lockstep::conformance {
namespace {

std::vector<GradientSource> GetSources(const StepCall& call) {
  std::vector<GradientSource> sources;
  for (const Json& name : call.Argument("sources")) {
    const Value value = call.environment().Find(name.get<std::string>());
    if (const auto* variable = std::get_if<VariablePtr>(&value)) {
      sources.emplace_back(*variable);
    } else {
      sources.emplace_back(StepCall::Held<Structure>(value, name).leaf());
    }
  }
  return sources;
}

Value Tape(const StepCall& call) {
  const std::vector<GradientSource> sources = GetSources(call);
  GradientTape tape;
  for (const GradientSource& source : sources) {
    if (const auto* tensor = std::get_if<Tensor>(&source)) tape.Watch(*tensor);
  }
  call.RunBlockHere();
  const Tensor target = call.GetTensor("target");
  std::vector<Structure> gradients;
  for (const std::optional<Tensor>& gradient : tape.Gradient(target, sources)) {
    gradients.push_back(gradient.value_or(Tensor()));
  }
  return Structure::Tuple(std::move(gradients));
}

}  // namespace

void AddGradientSteps(StepTable& table) { table.Add("gradient.tape", Tape); }

}  // namespace lockstep::conformance
