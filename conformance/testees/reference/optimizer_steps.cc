// optimizer.*: updates of variables by gradients.
#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/optimizers/adam.h"
#include "reference/optimizers/sgd.h"

namespace lockstep::conformance {
namespace {

using OptimizerPtr = std::shared_ptr<Optimizer>;

Value Create(const StepCall& call) {
  const double learning_rate = call.Number("learning_rate", 0);
  const std::string kind = call.Text("kind");
  if (kind == "sgd") {
    return OptimizerPtr(
        std::make_shared<Sgd>(SgdConfig{.learning_rate = learning_rate,
                                        .momentum = call.Number("momentum", 0),
                                        .nesterov = call.Boolean("nesterov")}));
  }
  if (kind == "adam") {
    return OptimizerPtr(
        std::make_shared<Adam>(AdamConfig{.learning_rate = learning_rate}));
  }
  throw ProgramError("unknown kind of optimizer: " + kind);
}

Value ApplyGradients(const StepCall& call) {
  const Json& gradients = call.Argument("gradients");
  const Json& variables = call.Argument("variables");
  if (gradients.size() != variables.size()) {
    throw ProgramError("gradients are not as many as variables");
  }
  std::vector<GradientAndVariable> pairs;
  for (size_t i = 0; i < variables.size(); ++i) {
    const VariablePtr variable = StepCall::Held<VariablePtr>(
        call.environment().Find(variables[i].get<std::string>()), "variables");
    const Tensor gradient = call.ResolveTensor(gradients[i], variable->dtype());
    pairs.emplace_back(
        gradient.defined() ? std::optional(gradient) : std::nullopt, variable);
  }
  call.Get<OptimizerPtr>("of")->ApplyGradients(pairs);
  return Nothing();
}

Value Iterations(const StepCall& call) {
  return call.Get<OptimizerPtr>("of")->iterations();
}

}  // namespace

void AddOptimizerSteps(StepTable& table) {
  table.Add("optimizer.create", Create);
  table.Add("optimizer.apply_gradients", ApplyGradients);
  table.Add("optimizer.iterations", Iterations);
}

}  // namespace lockstep::conformance
