#include "reference/export/saved_model/loading/variable_values.h"

#include <deque>
#include <optional>
#include <utility>

#include "reference/base/error.h"
#include "reference/checkpoint/object_graph.h"
#include "reference/checkpoint/trackable_object_graph.pb.h"
#include "reference/export/saved_model/loading/operations/node_attributes.h"
#include "reference/tensor_bundle/tensor_bundle.h"

namespace lockstep::export_internal {
namespace {

using checkpoint::TrackableObjectGraph;
using saved_model::SavedObjectGraph;

constexpr char kValue[] = "VARIABLE_VALUE";

TrackableObjectGraph ReadGraph(const TensorBundleReader& bundle) {
  const Tensor stored = bundle.Read(checkpoint_internal::kObjectGraphKey);
  TrackableObjectGraph graph;
  if (stored.dtype() != DType::kString || stored.rank() != 0 ||
      !graph.ParseFromString(stored.item<std::string>())) {
    throw DataLoss("[LoadSavedModel] {}: its object graph is invalid",
                   bundle.prefix());
  }
  return graph;
}

// For each node of the model's graph, the node of the checkpoint's; -1 if none.
std::vector<int> MatchNodes(const SavedObjectGraph& objects,
                            const TrackableObjectGraph& stored) {
  std::vector<int> stored_of(static_cast<size_t>(objects.nodes_size()), -1);
  if (stored_of.empty() || stored.nodes().empty()) return stored_of;
  stored_of[0] = 0;
  std::deque<int> next = {0};
  while (!next.empty()) {
    const int node = next.front();
    next.pop_front();
    std::map<std::string, int> children;
    const int of_node = stored_of[static_cast<size_t>(node)];
    for (const auto& child : stored.nodes(of_node).children()) {
      children.emplace(child.local_name(), child.node_id());
    }
    for (const auto& child : objects.nodes(node).children()) {
      const auto found = children.find(child.local_name());
      const int id = child.node_id();
      if (id < 0 || id >= objects.nodes_size()) {
        throw DataLoss(
            "[LoadSavedModel] object {} has a child {} of {} objects", node, id,
            objects.nodes_size());
      }
      if (found == children.end() || stored_of[static_cast<size_t>(id)] >= 0) {
        continue;
      }
      if (found->second < 0 || found->second >= stored.nodes_size()) {
        throw DataLoss(
            "[LoadSavedModel] object {} of the checkpoint has a child {} of {}",
            of_node, found->second, stored.nodes_size());
      }
      stored_of[static_cast<size_t>(id)] = found->second;
      next.push_back(id);
    }
  }
  return stored_of;
}

std::string KeyOf(const TrackableObjectGraph& stored, int node,
                  const std::string& name) {
  if (node >= 0) {
    for (const auto& value : stored.nodes(node).attributes()) {
      if (value.name() == kValue) return value.checkpoint_key();
    }
  }
  throw DataLoss("[LoadSavedModel] the checkpoint has no value of '{}'", name);
}

void CheckSpec(const saved_model::SavedVariable& variable,
               const TensorSpec& spec) {
  const auto type = NumberType(variable.dtype());
  if (!type) {
    throw Unimplemented(
        "[LoadSavedModel] the variable '{}' is of TensorFlow's type {}; only "
        "float32, int32 and int64 are supported",
        variable.name(), variable.dtype());
  }
  std::vector<int64_t> dims;
  for (const auto& dim : variable.shape().dim()) dims.push_back(dim.size());
  const auto stored = spec.shape.dims();
  if (*type != spec.dtype ||
      !std::equal(dims.begin(), dims.end(), stored.begin(), stored.end(),
                  [](int64_t declared, int64_t is) {
                    return declared == kUnknownDim || declared == is;
                  })) {
    throw DataLoss("[LoadSavedModel] the variable '{}' of {} has a value of {}",
                   variable.name(), DTypeName(*type), ToString(spec));
  }
}

}  // namespace

std::map<int, Tensor> ReadVariableValues(const SavedObjectGraph& objects,
                                         const std::vector<int>& nodes,
                                         const std::string& folder) {
  std::map<int, Tensor> values;
  if (nodes.empty()) return values;
  const TensorBundleReader bundle(folder + "/variables/variables");
  const TrackableObjectGraph stored = ReadGraph(bundle);
  const std::vector<int> stored_of = MatchNodes(objects, stored);
  for (const int node : nodes) {
    if (values.contains(node)) continue;
    const auto& variable = objects.nodes(node).variable();
    const std::string key =
        KeyOf(stored, stored_of[static_cast<size_t>(node)], variable.name());
    CheckSpec(variable, bundle.Spec(key));
    values.emplace(node, bundle.Read(key));
  }
  return values;
}

}  // namespace lockstep::export_internal
