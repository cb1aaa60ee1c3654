// The objects that are reachable from a root, numbered as in TensorFlow.
//
//   ObjectGraph graph = WalkObjectGraph(root);
//   graph.nodes[0].path;          // "": the root itself
//   graph.nodes[3].path;          // "model/_functional/_operations"
//   graph.values[0].key;          // "v/.ATTRIBUTES/VARIABLE_VALUE"
//
// The walk is breadth-first in the order of children, and an object has the path
// on which the walk reached it first. Slot variables come last, under
// "<variable>/.OPTIMIZER_SLOT/<optimizer>/<slot>".
#ifndef LOCKSTEP_REFERENCE_CHECKPOINT_OBJECT_GRAPH_H_
#define LOCKSTEP_REFERENCE_CHECKPOINT_OBJECT_GRAPH_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/checkpoint/trackable_object_graph.pb.h"

namespace lockstep::checkpoint_internal {

// The key of the serialized graph itself.
inline constexpr char kObjectGraphKey[] = "_CHECKPOINTABLE_OBJECT_GRAPH";

struct ObjectGraph {
  struct Node {
    Trackable* object;
    std::string path;
  };
  struct KeyedValue {
    int node;
    std::string key;
    Trackable::Value value;
  };
  std::vector<Node> nodes;
  std::unordered_map<Trackable*, int> node_of;
  std::vector<KeyedValue> values;  // in the order of nodes
};

// Omits values that are marked of_each_replica, unless `of_each_replica`.
ObjectGraph WalkObjectGraph(Trackable& root, bool of_each_replica = false);

// The form in which a checkpoint stores the graph.
checkpoint::TrackableObjectGraph ToProto(const ObjectGraph& graph);

// The path of each node of a stored graph, for messages; "(root)" for the root.
std::vector<std::string> NodePaths(
    const checkpoint::TrackableObjectGraph& graph);

// Escapes a name for use in a path: "a.b/c" becomes "a..b.Sc".
std::string EscapeName(std::string_view name);

}  // namespace lockstep::checkpoint_internal

#endif  // LOCKSTEP_REFERENCE_CHECKPOINT_OBJECT_GRAPH_H_
