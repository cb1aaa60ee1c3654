// variable.*: variables with a copy for each replica.
// gradient.*: differentiation under a tape.

#include <map>
#include <random>

#include "conformance/testees/reference/step_call.h"
#include "conformance/testees/reference/step_table.h"
#include "reference/autodiff/gradient_tape.h"
#include "reference/autodiff/variable.h"
#include "reference/distribute/variables/distributed_variable.h"

namespace lockstep::conformance {
namespace {

const std::map<std::string, VariableSynchronization> kSynchronizations = {
    {"auto", VariableSynchronization::kAuto},
    {"none", VariableSynchronization::kNone},
    {"on_write", VariableSynchronization::kOnWrite},
    {"on_read", VariableSynchronization::kOnRead}};
const std::map<std::string, VariableAggregation> kAggregations = {
    {"none", VariableAggregation::kNone},
    {"sum", VariableAggregation::kSum},
    {"mean", VariableAggregation::kMean},
    {"only_first_replica", VariableAggregation::kOnlyFirstReplica}};

Value Create(const StepCall& call) {
  const Tensor first = ToTensor(call.Argument("value"), call.GetDType());
  return MakeVariable(
      {.initial_value = [first] { return first.Clone(); },
       .name = "v",
       .trainable = call.Boolean("trainable", true),
       .synchronization = call.Choose(kSynchronizations, "synchronization",
                                      VariableSynchronization::kAuto),
       .aggregation = call.Choose(kAggregations, "aggregation",
                                  VariableAggregation::kNone)});
}

Value CreateRandom(const StepCall& call) {
  const std::vector<int64_t> dims = call.Argument("shape");
  const auto draw = [dims] {
    std::random_device device;
    std::uniform_real_distribution<float> uniform(-1, 1);
    const Shape shape(dims);
    std::vector<float> values(shape.num_elements());
    for (float& value : values) value = uniform(device);
    return Tensor::FromVector(values, shape);
  };
  return MakeVariable({.initial_value = draw, .name = "random"});
}

Value Read(const StepCall& call) {
  return Structure(call.Get<VariablePtr>("of")->Read());
}

Value Copies(const StepCall& call) {
  const VariablePtr variable = call.Get<VariablePtr>("of");
  LocalResults copies;
  if (const auto* distributed =
          dynamic_cast<const DistributedVariable*>(variable.get())) {
    for (int copy = 0; copy < distributed->num_copies(); ++copy) {
      copies.values.push_back(distributed->copy(copy));
    }
  } else {
    copies.values.push_back(variable->Read());
  }
  return copies;
}

using Change = void (Variable::*)(const Tensor&);

template <Change kChange>
Value ChangeBy(const StepCall& call) {
  const VariablePtr variable = call.Get<VariablePtr>("of");
  ((*variable).*kChange)(call.GetTensor("value", variable->dtype()));
  return Nothing();
}

}  // namespace

void AddVariableSteps(StepTable& table) {
  table.Add("variable.create", Create);
  table.Add("variable.create_random", CreateRandom);
  table.Add("variable.read", Read);
  table.Add("variable.copies", Copies);
  // The block of a graph has already run.
  table.Add("graph.copies", Copies);
  table.Add("variable.assign", ChangeBy<&Variable::Assign>);
  table.Add("variable.assign_add", ChangeBy<&Variable::AssignAdd>);
  table.Add("variable.assign_sub", ChangeBy<&Variable::AssignSub>);
}

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
