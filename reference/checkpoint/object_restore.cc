#include "reference/checkpoint/object_restore.h"

#include <algorithm>
#include <map>

#include "reference/autodiff/joint_values.h"
#include "reference/base/error.h"
#include "reference/base/log.h"
#include "reference/checkpoint/object_graph.h"
#include "reference/tensor_bundle/entry_threads.h"

namespace lockstep::checkpoint_internal {
namespace {

bool Fits(const TensorSpec& stored, const TensorSpec& wanted) {
  if (stored.dtype != wanted.dtype ||
      stored.shape.rank() != wanted.shape.rank()) {
    return false;
  }
  for (int axis = 0; axis < wanted.shape.rank(); ++axis) {
    if (wanted.shape[axis] != kUnknownDim &&
        wanted.shape[axis] != stored.shape[axis]) {
      return false;
    }
  }
  return true;
}

}  // namespace

ObjectRestore::ObjectRestore(const std::string& prefix) : reader_(prefix) {
  if (!reader_.Contains(kObjectGraphKey)) {
    throw Unimplemented(
        "[Checkpoint.Restore] {} has no object graph: it is a checkpoint of "
        "TensorFlow 1, by names",
        prefix);
  }
  const Tensor stored = reader_.Read(kObjectGraphKey);
  if (stored.dtype() != DType::kString || stored.rank() != 0 ||
      !graph_.ParseFromString(stored.item<std::string>())) {
    throw DataLoss(
        "[Checkpoint.Restore] {}: '{}' is {}, wanted an object graph", prefix,
        kObjectGraphKey, Describe(stored));
  }
  CheckGraph();
  object_of_.resize(graph_.nodes_size());
}

void ObjectRestore::CheckGraph() const {
  const int count = graph_.nodes_size();
  const auto check = [&](int id) {
    if (id >= 0 && id < count) return;
    throw DataLoss("[Checkpoint.Restore] {} names object {} of {}",
                   reader_.prefix(), id, count);
  };
  check(0);
  for (const auto& node : graph_.nodes()) {
    for (const auto& child : node.children()) check(child.node_id());
    for (const auto& slot : node.slot_variables()) {
      check(slot.original_variable_node_id());
      check(slot.slot_variable_node_id());
    }
    for (const auto& attribute : node.attributes()) {
      if (reader_.Contains(attribute.checkpoint_key())) continue;
      throw DataLoss("[Checkpoint.Restore] {} has no value for '{}'",
                     reader_.prefix(), attribute.checkpoint_key());
    }
  }
}

std::shared_ptr<ObjectRestore> ObjectRestore::Start(const std::string& prefix,
                                                    Trackable& root,
                                                    bool every_value) {
  std::shared_ptr<ObjectRestore> restore(new ObjectRestore(prefix));
  const auto check = [&](const Match& match) {
    if (every_value) restore->CheckEveryValue(root, match);
  };
  try {
    restore->Restore(root, 0, check);
  } catch (const Error&) {
    restore->ExpectPartial();  // the error is enough, without a warning
    throw;
  }
  return restore;
}

ObjectRestore::~ObjectRestore() {
  if (expect_partial_) return;
  const std::vector<std::string> unused = UnusedValues();
  if (unused.empty()) return;
  std::string names;
  for (const std::string& name : unused) names += "\n  " + name;
  LogWarning(
      "[Checkpoint.Restore] {}: {} values were not restored (ExpectPartial "
      "silences this):{}",
      reader_.prefix(), unused.size(), names);
}

void ObjectRestore::OnChildTracked(Trackable& parent, const std::string& name,
                                   Trackable& child) {
  const auto found = nodes_of_.find(&parent);
  if (found == nodes_of_.end()) return;
  const std::vector<int> parents = found->second;  // matching adds to the map
  for (const int node : parents) {
    for (const auto& part : graph_.nodes(node).children()) {
      if (part.local_name() == name) Restore(child, part.node_id());
    }
    // An optimizer tracks a part when it creates slots, so look for new slots.
    Match match;
    MatchSlots(parent, node, match);
    Assign(match.assignments);
  }
}

void ObjectRestore::CheckEveryValue(Trackable& root, const Match& match) const {
  ValueSet given;
  for (const Assignment& assignment : match.assignments) {
    given.emplace(assignment.object, assignment.value.attribute);
  }
  const std::vector<std::string> unmatched = Unmatched(root, given);
  if (unmatched.empty()) return;
  throw FailedPrecondition("[Checkpoint.Restore] {} has no value for {}",
                           reader_.prefix(), unmatched.front());
}

void ObjectRestore::Restore(Trackable& object, int node, const Check& check) {
  Match match;
  if (!Bind(object, node, match)) return;
  // The loop appends to the list that it walks, hence breadth-first.
  for (size_t i = 0; i < match.bound.size(); ++i) {
    const auto [next, id] = match.bound[i];
    MatchParts(*next, id, match);
  }
  for (size_t i = 0; i < match.bound.size(); ++i) {
    const auto [next, id] = match.bound[i];
    MatchSlots(*next, id, match);
  }
  if (check) check(match);
  Assign(match.assignments);
  for (const auto& [bound, id] : match.bound) {
    if (IsComplete(id) || !waited_for_.insert(bound).second) continue;
    bound->AddPendingRestore(shared_from_this());
  }
}

bool ObjectRestore::Bind(Trackable& object, int node, Match& match) {
  Trackable*& known = object_of_[node];
  if (known == &object) return false;
  if (known != nullptr) {
    LogWarning(
        "[Checkpoint.Restore] {}: '{}' is one object in the checkpoint but two "
        "in "
        "the program; the second one keeps its value",
        reader_.prefix(), NodePaths(graph_)[node]);
    return false;
  }
  known = &object;
  nodes_of_[&object].push_back(node);
  match.bound.emplace_back(&object, node);
  PlanValues(object, node, match);
  return true;
}

void ObjectRestore::PlanValues(Trackable& object, int node, Match& match) {
  const std::vector<Trackable::Value> values = object.values();
  for (const auto& attribute : graph_.nodes(node).attributes()) {
    const auto value = std::ranges::find(values, attribute.name(),
                                         &Trackable::Value::attribute);
    if (value == values.end()) continue;
    match.assignments.push_back(
        {&object, node, *value, attribute.checkpoint_key()});
  }
}

void ObjectRestore::MatchParts(Trackable& object, int node, Match& match) {
  for (const auto& part : graph_.nodes(node).children()) {
    const auto child = std::ranges::find(object.children(), part.local_name(),
                                         &Trackable::Child::name);
    if (child != object.children().end()) {
      Bind(*child->object, part.node_id(), match);
    }
  }
}

void ObjectRestore::MatchSlots(Trackable& object, int node, Match& match) {
  if (graph_.nodes(node).slot_variables().empty()) return;
  const std::vector<Trackable::Slot> slots = object.slots();
  for (const auto& stored : graph_.nodes(node).slot_variables()) {
    const Trackable* variable = object_of_[stored.original_variable_node_id()];
    const auto slot = std::ranges::find_if(slots, [&](const auto& candidate) {
      return candidate.variable == variable &&
             candidate.slot_name == stored.slot_name();
    });
    if (slot != slots.end()) {
      Bind(*slot->slot_variable, stored.slot_variable_node_id(), match);
    }
  }
}

void ObjectRestore::Assign(const std::vector<Assignment>& assignments) {
  int64_t bytes = 0;
  for (const Assignment& assignment : assignments) {
    const TensorSpec stored = reader_.Spec(assignment.key);
    if (!Fits(stored, assignment.value.spec)) {
      throw InvalidArgument(
          "[Checkpoint.Restore] {}: '{}' is {}, but variable '{}' is {}",
          reader_.prefix(), assignment.key, ToString(stored),
          assignment.value.full_name, ToString(assignment.value.spec));
    }
    bytes += stored.shape.num_elements() *
             static_cast<int64_t>(DTypeSize(stored.dtype));
  }
  std::vector<Tensor> values(assignments.size());
  tensor_bundle_internal::ForEachEntry(
      std::ssize(assignments), bytes,
      [&](int64_t i) { values[i] = reader_.Read(assignments[i].key); });
  const auto joint = PrepareJoint(assignments, values);
  for (size_t i = 0; i < assignments.size(); ++i) {
    const Assignment& assignment = assignments[i];
    if (assignment.object->joint_values() == nullptr) {
      assignment.value.restore(values[i]);
    }
    used_.emplace(assignment.node, assignment.value.attribute);
    restored_.emplace(assignment.object, assignment.value.attribute);
  }
  for (const std::function<void()>& assign : joint) assign();
}

std::vector<std::function<void()>> ObjectRestore::PrepareJoint(
    const std::vector<Assignment>& assignments,
    const std::vector<Tensor>& values) const {
  struct Stored {
    std::string key;
    std::map<std::string, Tensor> values;
  };
  std::map<Trackable*, Stored> of_objects;
  for (size_t i = 0; i < assignments.size(); ++i) {
    Trackable* object = assignments[i].object;
    if (object->joint_values() == nullptr) continue;
    Stored& stored = of_objects[object];
    stored.key = assignments[i].key;
    stored.values[assignments[i].value.attribute] = values[i];
  }
  std::vector<std::function<void()>> prepared;
  for (const auto& [object, stored] : of_objects) {
    try {
      prepared.push_back(object->joint_values()->PrepareRestore(stored.values));
    } catch (const Error& error) {
      throw Error(error.code(),
                  fmt::format("[Checkpoint.Restore] {}: '{}': {}",
                              reader_.prefix(), stored.key, error.what()));
    }
  }
  return prepared;
}

bool ObjectRestore::IsComplete(int node) const {
  const auto is_bound = [&](int id) { return object_of_[id] != nullptr; };
  return std::ranges::all_of(
             graph_.nodes(node).children(),
             [&](const auto& part) { return is_bound(part.node_id()); }) &&
         std::ranges::all_of(graph_.nodes(node).slot_variables(),
                             [&](const auto& slot) {
                               return is_bound(slot.slot_variable_node_id());
                             });
}

std::vector<std::string> ObjectRestore::UnusedValues() const {
  std::vector<std::string> unused;
  for (int i = 0; i < graph_.nodes_size(); ++i) {
    for (const auto& attribute : graph_.nodes(i).attributes()) {
      if (used_.contains({i, attribute.name()})) continue;
      unused.push_back(fmt::format("{} ({})", attribute.checkpoint_key(),
                                   attribute.full_name()));
    }
  }
  return unused;
}

std::vector<std::string> ObjectRestore::UnmatchedValues(Trackable& root) const {
  return Unmatched(root, restored_);
}

std::vector<std::string> ObjectRestore::Unmatched(Trackable& root,
                                                  const ValueSet& given) {
  const ObjectGraph graph = WalkObjectGraph(root);
  std::vector<std::string> unmatched;
  for (const ObjectGraph::KeyedValue& keyed : graph.values) {
    Trackable* object = graph.nodes[keyed.node].object;
    if (given.contains({object, keyed.value.attribute})) continue;
    unmatched.push_back(
        fmt::format("{} ({})", keyed.key, keyed.value.full_name));
  }
  return unmatched;
}

}  // namespace lockstep::checkpoint_internal
