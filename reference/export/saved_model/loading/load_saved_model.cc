#include "reference/export/saved_model/loading/load_saved_model.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "reference/base/error.h"
#include "reference/export/saved_model/loading/plan.h"
#include "reference/export/saved_model/loading/signature.h"
#include "reference/export/saved_model/loading/variable_values.h"

namespace lockstep {

using export_internal::Signature;

struct SavedModel::Impl {
  Signature signature;
  std::map<std::string, TensorSpec> inputs;
  std::vector<std::string> outputs;
  std::vector<VariablePtr> variables;
  export_internal::Plan plan;
  double memory_limit;
};

namespace {

// A variable's name may have a prefix: "model/dense/kernel".
VariablePtr MakeLoaded(const saved_model::SavedVariable& saved,
                       const Tensor& value) {
  return MakeVariable({.initial_value = [value] { return value; },
                       .name = saved.name(),
                       .trainable = saved.trainable()});
}

void CheckArgument(const std::string& name, const TensorSpec& spec,
                   const Tensor& value) {
  const auto wanted = spec.shape.dims();
  const auto got = value.shape().dims();
  const bool fits = std::equal(wanted.begin(), wanted.end(), got.begin(),
                               got.end(), [](int64_t want, int64_t is) {
                                 return want == kUnknownDim || want == is;
                               });
  if (fits && spec.dtype == value.dtype()) return;
  throw InvalidArgument("[SavedModel::Run] the argument '{}' is {}, got {}",
                        name, ToString(spec), Describe(value));
}

}  // namespace

SavedModel::SavedModel(std::shared_ptr<const Impl> impl)
    : impl_(std::move(impl)) {}

const std::map<std::string, TensorSpec>& SavedModel::inputs() const {
  return impl_->inputs;
}

const std::vector<std::string>& SavedModel::outputs() const {
  return impl_->outputs;
}

const std::vector<VariablePtr>& SavedModel::variables() const {
  return impl_->variables;
}

std::map<std::string, Tensor> SavedModel::Run(
    const std::map<std::string, Tensor>& inputs) const {
  std::vector<Tensor> arguments;
  for (const auto& [name, spec] : impl_->signature.inputs) {
    const auto found = inputs.find(name);
    if (found == inputs.end() || !found->second.defined()) {
      throw InvalidArgument("[SavedModel::Run] there is no argument '{}'",
                            name);
    }
    CheckArgument(name, spec, found->second);
    arguments.push_back(found->second);
  }
  for (const auto& [name, value] : inputs) {
    if (impl_->inputs.contains(name)) continue;
    throw InvalidArgument(
        "[SavedModel::Run] unknown argument '{}'; there are {}", name,
        fmt::join(std::views::keys(impl_->inputs), ", "));
  }
  const std::vector<Tensor> results = export_internal::RunPlan(
      impl_->plan, arguments, impl_->variables, impl_->memory_limit);
  std::map<std::string, Tensor> named;
  for (size_t i = 0; i < results.size(); ++i) {
    named.emplace(impl_->outputs[i], results[i]);
  }
  return named;
}

SavedModel LoadSavedModel(const std::string& folder,
                          const LoadSavedModelOptions& options) {
  const saved_model::MetaGraphDef graph =
      export_internal::ReadMetaGraph(folder);
  auto impl = std::make_shared<SavedModel::Impl>();
  impl->memory_limit = options.memory_limit;
  impl->signature = export_internal::FindSignature(graph, options.signature);
  const Signature& signature = impl->signature;
  for (const auto& [name, spec] : signature.inputs) impl->inputs[name] = spec;
  impl->outputs = signature.outputs;
  impl->plan = export_internal::MakePlan(
      graph.graph_def().library(), signature.function, signature.inputs.size(),
      signature.variables.size(), options.memory_limit);
  if (impl->plan.results.size() != signature.outputs.size()) {
    throw DataLoss("[LoadSavedModel] '{}' has {} results, not {}",
                   options.signature, impl->plan.results.size(),
                   signature.outputs.size());
  }
  const auto& objects = graph.object_graph_def();
  const auto values =
      export_internal::ReadVariableValues(objects, signature.variables, folder);
  std::map<int, size_t> place_of;  // by node
  for (const auto& [node, value] : values) {
    place_of[node] = impl->variables.size();
    impl->variables.push_back(
        MakeLoaded(objects.nodes(node).variable(), value));
  }
  for (auto& [number, variable] : impl->plan.variables) {
    variable = place_of.at(signature.variables[variable]);
  }
  return SavedModel(std::move(impl));
}

}  // namespace lockstep
