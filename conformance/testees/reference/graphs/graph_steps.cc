// graph.*: iterators and steps that are built first and run when their result
// is requested.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/autodiff/gradient_tape.h"
#include "reference/distribute/graph_mode/deferred.h"
#include "reference/distribute/graph_mode/input_iterator.h"
#include "reference/distribute/strategy.h"
#include "reference/losses/cross_entropy.h"
#include "reference/optimizers/update_rules.h"

namespace lockstep::conformance {
namespace {

using Future = Deferred<PerReplica<Structure>>;
using ReducedFuture = Deferred<Structure>;

Value Build(const StepCall& call) {
  call.RunBlockHere();
  return Nothing();
}

Value MakeIterator(const StepCall& call) {
  return MakeDatasetIterator(GetStrategy(), call.Get<Dataset>("of"));
}

Value MakeIteratorFromFunction(const StepCall& call) {
  return MakeInputFnIterator(GetStrategy(), [&](const InputContext& context) {
    Environment& inner = call.environment().AddPersistent();
    inner.Bind(call.Text("as"), context);
    call.RunBlock(inner);
    return StepCall::Held<Dataset>(inner.Find(call.Text("return")), "return");
  });
}

// The program outlives the result, which refers to the step.
Value Run(const StepCall& call) {
  const auto step = [call](const Structure& part) {
    Environment inner(&call.environment());
    inner.Bind(call.Text("as"), part);
    call.RunBlock(inner);
    return call.Result(inner);
  };
  return ExperimentalRun(GetStrategy(), step, call.Get<InputIterator>("of"));
}

Value Reduce(const StepCall& call) {
  Strategy& strategy = GetStrategy();
  const ReduceOp op = ParseReduceOp(call.Text("op"));
  return call.Get<Future>("of").Then(
      [&strategy, op](const PerReplica<Structure>& parts) {
        return strategy.Reduce(op, parts);
      });
}

Value CrossEntropy(const StepCall& call) {
  const losses::SparseCategoricalCrossentropy loss(
      {.from_logits = true, .reduction = losses::Reduction::kNone});
  return Structure(loss(call.GetTensor("labels"), call.GetTensor("logits")));
}

Value MakeGradientDescent(const StepCall& call) {
  return std::shared_ptr<Optimizer>(std::make_shared<Sgd>(
      SgdOptions{.learning_rate = call.Number("learning_rate", 0)}));
}

std::vector<VariablePtr> GetVariables(const StepCall& call) {
  std::vector<VariablePtr> variables;
  for (const Json& name : call.Argument("variables")) {
    variables.push_back(StepCall::Held<VariablePtr>(
        call.environment().Find(name.get<std::string>()), "variables"));
  }
  return variables;
}

Value Minimize(const StepCall& call) {
  const std::vector<VariablePtr> variables = GetVariables(call);
  GradientTape tape;
  Environment inner(&call.environment());
  call.RunBlock(inner);
  const Structure loss = call.Result(inner);
  call.Get<std::shared_ptr<Optimizer>>("of")->ApplyGradients(
      Zip(tape.Gradient(loss.leaf(), variables), variables));
  return loss;
}

// Variables are initialized when they are created.
Value InitializeVariables(const StepCall& call) {
  call.Find("of");
  return Nothing();
}

Value Initialize(const StepCall& call) {
  call.Get<InputIterator>("of").Initialize();
  return Nothing();
}

Value Evaluate(const StepCall& call) {
  const Value of = call.Find("of");
  if (const auto* reduced = std::get_if<ReducedFuture>(&of)) {
    return reduced->Evaluate();
  }
  return StepCall::Held<Future>(of, "of").Evaluate();
}

}  // namespace

void AddGraphSteps(StepTable& table) {
  table.Add("graph.build", Build);
  table.Add("graph.dataset_iterator", MakeIterator);
  table.Add("graph.input_fn_iterator", MakeIteratorFromFunction);
  table.Add("graph.run", Run);
  table.Add("graph.reduce", Reduce);
  table.Add("graph.cross_entropy", CrossEntropy);
  table.Add("graph.gradient_descent", MakeGradientDescent);
  table.Add("graph.minimize", Minimize);
  table.Add("graph.initialize_variables", InitializeVariables);
  table.Add("graph.initialize", Initialize);
  table.Add("graph.evaluate", Evaluate);
}

}  // namespace lockstep::conformance
