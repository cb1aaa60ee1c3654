#include "reference/export/saved_model/loading/load_saved_model.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "reference/base/error.h"
#include "reference/export/saved_model/loading/plan.h"
#include "reference/export/saved_model/loading/signature.h"
#include "reference/export/saved_model/loading/table.h"
#include "reference/export/saved_model/loading/variable_values.h"

namespace lockstep {

using export_internal::Captured;
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

// A constant or a table, whose size is subtracted from *most_bytes.
Captured ReadCaptured(const saved_model::MetaGraphDef& graph, int node,
                      const std::string& folder, double* most_bytes) {
  Captured captured;
  if (graph.object_graph_def().nodes(node).has_constant()) {
    captured.constant =
        export_internal::ReadCapturedConstant(graph, node, *most_bytes);
    *most_bytes -= static_cast<double>(captured.constant.bytes());
  } else {
    captured.table =
        export_internal::ReadTable(graph, node, folder, *most_bytes);
    *most_bytes -= captured.table->bytes();
  }
  return captured;
}

// What the signature's function is bound to.
struct Resources {
  std::vector<VariablePtr> variables;
  std::vector<Captured> captured;
  double most_bytes;  // what the limit leaves for other constants
};

Resources ReadResources(const saved_model::MetaGraphDef& graph,
                        const Signature& signature, const std::string& folder,
                        const LoadSavedModelOptions& options) {
  const auto& objects = graph.object_graph_def();
  Resources resources = {{}, {}, options.memory_limit};
  std::vector<int> nodes;  // of variables
  for (const int node : signature.captured) {
    if (objects.nodes(node).has_variable()) nodes.push_back(node);
  }
  const auto values =
      export_internal::ReadVariableValues(objects, nodes, folder);
  std::map<int, Captured> read;  // by node
  for (const auto& [node, value] : values) {
    read[node].variable = resources.variables.size();
    resources.variables.push_back(
        MakeLoaded(objects.nodes(node).variable(), value));
  }
  for (const int node : signature.captured) {
    if (!read.contains(node)) {
      read[node] = ReadCaptured(graph, node, folder, &resources.most_bytes);
    }
    resources.captured.push_back(read[node]);
  }
  return resources;
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
  Resources resources = ReadResources(graph, signature, folder, options);
  impl->variables = std::move(resources.variables);
  impl->plan = export_internal::MakePlan(
      graph.graph_def().library(), signature.function, signature.inputs.size(),
      resources.captured, resources.most_bytes);
  if (impl->plan.results.size() != signature.outputs.size()) {
    throw DataLoss("[LoadSavedModel] '{}' has {} results, not {}",
                   options.signature, impl->plan.results.size(),
                   signature.outputs.size());
  }
  return SavedModel(std::move(impl));
}

}  // namespace lockstep
