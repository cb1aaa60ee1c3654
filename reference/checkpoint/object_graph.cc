#include "reference/checkpoint/object_graph.h"

#include <utility>

#include "reference/base/error.h"

namespace lockstep::checkpoint_internal {
namespace {

std::string Join(const std::string& path, std::string_view name) {
  return path.empty() ? EscapeName(name) : path + "/" + EscapeName(name);
}

// Adds an object unless the graph has it.
void AddNode(ObjectGraph& graph, Trackable* object, std::string path) {
  const int id = static_cast<int>(graph.nodes.size());
  if (graph.node_of.emplace(object, id).second) {
    graph.nodes.push_back({object, std::move(path)});
  }
}

void AddSlotVariables(ObjectGraph& graph) {
  const size_t others = graph.nodes.size();
  for (size_t i = 0; i < others; ++i) {
    for (const Trackable::Slot& slot : graph.nodes[i].object->slots()) {
      const auto variable = graph.node_of.find(slot.variable);
      if (variable == graph.node_of.end()) continue;  // not in this checkpoint
      AddNode(graph, slot.slot_variable,
              fmt::format("{}/.OPTIMIZER_SLOT/{}/{}",
                          graph.nodes[variable->second].path,
                          graph.nodes[i].path, EscapeName(slot.slot_name)));
    }
  }
}

// Marks nodes that store a value, and their ancestors.
void MarkNodesWithValues(checkpoint::TrackableObjectGraph& proto) {
  std::vector<std::vector<int>> parents(proto.nodes_size());
  std::vector<int> waiting;
  for (int i = 0; i < proto.nodes_size(); ++i) {
    for (const auto& child : proto.nodes(i).children()) {
      parents[child.node_id()].push_back(i);
    }
    const auto& node = proto.nodes(i);
    const bool stores = node.attributes_size() + node.slot_variables_size() > 0;
    proto.mutable_nodes(i)->mutable_has_checkpoint_values()->set_value(stores);
    if (stores) waiting.push_back(i);
  }
  while (!waiting.empty()) {
    const int node = waiting.back();
    waiting.pop_back();
    for (const int parent : parents[node]) {
      auto& mark =
          *proto.mutable_nodes(parent)->mutable_has_checkpoint_values();
      if (mark.value()) continue;
      mark.set_value(true);
      waiting.push_back(parent);
    }
  }
}

void AddReferences(const ObjectGraph& graph, int id,
                   checkpoint::TrackableObjectGraph::TrackableObject& node) {
  for (const Trackable::Child& child : graph.nodes[id].object->children()) {
    auto& reference = *node.add_children();
    reference.set_node_id(graph.node_of.at(child.object));
    reference.set_local_name(child.name);
  }
  for (const Trackable::Slot& slot : graph.nodes[id].object->slots()) {
    const auto variable = graph.node_of.find(slot.variable);
    if (variable == graph.node_of.end()) continue;
    auto& reference = *node.add_slot_variables();
    reference.set_original_variable_node_id(variable->second);
    reference.set_slot_name(slot.slot_name);
    reference.set_slot_variable_node_id(graph.node_of.at(slot.slot_variable));
  }
}

}  // namespace

std::string EscapeName(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '.') {
      escaped += "..";
    } else if (c == '/') {
      escaped += ".S";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

ObjectGraph WalkObjectGraph(Trackable& root, bool of_each_replica) {
  ObjectGraph graph;
  AddNode(graph, &root, "");
  // The loop appends to the list that it walks, hence breadth-first.
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ObjectGraph::Node node = graph.nodes[i];
    for (const Trackable::Child& child : node.object->children()) {
      AddNode(graph, child.object, Join(node.path, child.name));
    }
  }
  AddSlotVariables(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (Trackable::Value& value : graph.nodes[i].object->values()) {
      if (value.of_each_replica && !of_each_replica) continue;
      std::string key = fmt::format("{}/.ATTRIBUTES/{}", graph.nodes[i].path,
                                    EscapeName(value.attribute));
      graph.values.push_back(
          {static_cast<int>(i), std::move(key), std::move(value)});
    }
  }
  return graph;
}

checkpoint::TrackableObjectGraph ToProto(const ObjectGraph& graph) {
  checkpoint::TrackableObjectGraph proto;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    AddReferences(graph, static_cast<int>(i), *proto.add_nodes());
  }
  for (const ObjectGraph::KeyedValue& keyed : graph.values) {
    auto& attribute = *proto.mutable_nodes(keyed.node)->add_attributes();
    attribute.set_name(keyed.value.attribute);
    attribute.set_full_name(keyed.value.full_name);
    attribute.set_checkpoint_key(keyed.key);
  }
  MarkNodesWithValues(proto);
  return proto;
}

std::vector<std::string> NodePaths(
    const checkpoint::TrackableObjectGraph& graph) {
  std::vector<std::string> paths(graph.nodes_size());
  std::vector<int> queue = {0};
  paths[0] = "(root)";
  const auto visit = [&](int id, std::string path) {
    if (!paths[id].empty()) return;
    paths[id] = std::move(path);
    queue.push_back(id);
  };
  for (size_t i = 0; i < queue.size(); ++i) {
    const auto& node = graph.nodes(queue[i]);
    const std::string base = queue[i] == 0 ? "" : paths[queue[i]];
    for (const auto& child : node.children()) {
      visit(child.node_id(), Join(base, child.local_name()));
    }
    for (const auto& slot : node.slot_variables()) {
      visit(slot.slot_variable_node_id(), Join(base, slot.slot_name()));
    }
  }
  return paths;
}

}  // namespace lockstep::checkpoint_internal
