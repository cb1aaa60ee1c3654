#include "reference/export/saved_model/loading/plan.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "reference/export/saved_model/loading/constant.h"
#include "reference/export/saved_model/loading/node_reference.h"

namespace lockstep::export_internal {
namespace {

using saved_model::FunctionDef;
using saved_model::NodeDef;

constexpr int kDeepestCall = 64;
constexpr int64_t kMostNodesAndEdges = 1'000'000;

// A node's result: the number of a tensor value, of a variable or of a table.
enum class ValueKind { kTensor, kVariable, kTable };
struct Value {
  ValueKind kind;
  int number;
};
using Values = std::vector<Value>;

Value TensorValue(int number) { return {ValueKind::kTensor, number}; }

struct IndexedFunction {
  const FunctionDef* function;
  std::map<std::string_view, const NodeDef*> nodes;
};

class Planner {
 public:
  Planner(const saved_model::FunctionDefLibrary& library, double most_bytes)
      : most_bytes_(most_bytes) {
    for (const FunctionDef& function : library.function()) {
      functions_.emplace(function.signature().name(),
                         IndexedFunction{&function, {}});
    }
  }

  Values Call(const std::string& name, const Values& arguments,
              const std::string& place);
  // Errors: Unimplemented if the total is too large.
  void Count(int64_t nodes_and_edges);

  int NewValue() { return plan_.num_values++; }
  Value Read(int variable);
  Value AddConstant(const NodeAttributes& attributes);
  Values AddStep(Operation operation, const Values& inputs);
  Value AddCaptured(const Captured& captured);
  const TablePtr& table(int number) const {
    return tables_[static_cast<size_t>(number)];
  }
  Plan Finish(const Values& results);

 private:
  const IndexedFunction& Find(const std::string& name,
                              const std::string& place);

  Plan plan_;
  std::map<std::string, IndexedFunction> functions_;
  std::map<int, int> read_;  // values by variable
  std::vector<TablePtr> tables_;
  int depth_ = 0;
  int64_t nodes_and_edges_ = 0;
  double most_bytes_;
};

// Plans one call of a function.
class CallPlanner {
 public:
  CallPlanner(Planner& planner, const IndexedFunction& function,
              const Values& arguments)
      : planner_(planner), function_(function) {
    const auto& names = function.function->signature().input_arg();
    for (int i = 0; i < names.size(); ++i) {
      done_[names[i].name()] = {arguments[static_cast<size_t>(i)]};
    }
  }

  Values Results() {
    const FunctionDef& function = *function_.function;
    Values results;
    for (const auto& result : function.signature().output_arg()) {
      const auto found = function.ret().find(result.name());
      if (found == function.ret().end()) {
        throw DataLoss("[LoadSavedModel] function '{}' does not define its {}",
                       function.signature().name(), result.name());
      }
      results.push_back(Get(found->second));
    }
    // Nodes that must run for their effects. Planning them checks that they are
    // supported; supported operations have no effects, so none is kept.
    for (const auto& [name, node] : function.control_ret()) Get("^" + node);
    return results;
  }

 private:
  Value Get(const std::string& text) {
    const Reference reference(text);
    if (!done_.contains(reference.node)) PlanNodes(Find(reference.node));
    return reference.is_control ? Value{} : ValueOf(reference);
  }

  Value ValueOf(const Reference& reference) const {
    const Values& values = done_.find(reference.node)->second;
    const auto names = names_.find(reference.node);
    if (names != names_.end()) {  // each of them is one result
      const auto name = std::ranges::find(names->second, reference.name);
      if (name == names->second.end() || reference.result != 0) {
        throw DataLoss("[LoadSavedModel] node '{}' has no result {}:{}",
                       reference.node, reference.name, reference.result);
      }
      return values[static_cast<size_t>(name - names->second.begin())];
    }
    if (reference.result < 0 ||
        reference.result >= static_cast<int>(values.size())) {
      throw DataLoss("[LoadSavedModel] node '{}' has no result {}",
                     reference.node, reference.result);
    }
    return values[static_cast<size_t>(reference.result)];
  }

  const NodeDef* Find(std::string_view name) const {
    const auto found = function_.nodes.find(name);
    if (found != function_.nodes.end()) return found->second;
    throw DataLoss("[LoadSavedModel] function '{}' has no node '{}'",
                   function_.function->signature().name(), name);
  }

  // Plans the node and its inputs. Not recursive, because chains may be long.
  void PlanNodes(const NodeDef* last) {
    std::vector<const NodeDef*> stack = {last};
    while (!stack.empty()) {
      const NodeDef* node = stack.back();
      if (done_.contains(node->name())) {
        stack.pop_back();
      } else if (!begun_.insert(node).second) {
        done_[node->name()] = PlanNode(*node);
        stack.pop_back();
      } else {
        planner_.Count(1 + node->input_size());
        for (const std::string& input : node->input()) Push(input, stack);
      }
    }
  }

  void Push(const std::string& input, std::vector<const NodeDef*>& stack) {
    const Reference reference(input);
    if (done_.contains(reference.node)) return;
    stack.push_back(Find(reference.node));
    if (begun_.contains(stack.back())) {
      throw DataLoss("[LoadSavedModel] node '{}' depends on itself",
                     reference.node);
    }
  }

  Values PlanNode(const NodeDef& node) {
    Values inputs;
    for (const std::string& input : node.input()) {
      const Reference reference(input);
      if (!reference.is_control) inputs.push_back(ValueOf(reference));
    }
    const NodeAttributes attributes(node);
    const std::string& op = node.op();
    if (op == "NoOp") return {};
    if (op == "StatefulPartitionedCall" || op == "PartitionedCall") {
      return planner_.Call(attributes.Function("f"), inputs,
                           attributes.place());
    }
    if (op == "Const") return {planner_.AddConstant(attributes)};
    if (op == "LookupTableFindV2") return AddLookup(attributes, inputs);
    if (op == "Identity") {
      attributes.ExpectInputs(1);
      return inputs;
    }
    if (op == "ReadVariableOp") {
      attributes.ExpectInputs(1);
      attributes.Type("dtype");
      if (inputs[0].kind != ValueKind::kVariable) {
        throw DataLoss("{} does not read a variable", attributes.place());
      }
      return {planner_.Read(inputs[0].number)};
    }
    if (op == "ResourceGather" && !inputs.empty() &&
        inputs[0].kind == ValueKind::kVariable) {
      inputs[0] = planner_.Read(inputs[0].number);
    }
    Operation operation = MakeOperation(node);
    if (!operation.results.empty()) names_[node.name()] = operation.results;
    return planner_.AddStep(std::move(operation), inputs);
  }

  Values AddLookup(const NodeAttributes& attributes, const Values& inputs) {
    attributes.ExpectInputs(3);
    if (inputs[0].kind != ValueKind::kTable) {
      throw DataLoss("{} has no table", attributes.place());
    }
    const TablePtr table = planner_.table(inputs[0].number);
    Operation operation = {
        [table](Tensors all) { return table->Find(all[0], all[1]); },
        [table](Tensors all) {
          return (static_cast<double>(DTypeSize(table->value_type())) + 8) *
                 static_cast<double>(all[0].num_elements());
        }};
    operation.place = attributes.node_place();
    return planner_.AddStep(std::move(operation), {inputs[1], inputs[2]});
  }

  Planner& planner_;
  const IndexedFunction& function_;
  std::map<std::string, Values, std::less<>> done_;
  // Of nodes with several results.
  std::map<std::string, std::vector<std::string>, std::less<>> names_;
  std::set<const NodeDef*> begun_;
};

void Planner::Count(int64_t nodes_and_edges) {
  nodes_and_edges_ += nodes_and_edges;
  if (nodes_and_edges_ <= kMostNodesAndEdges) return;
  throw Unimplemented(
      "[LoadSavedModel] the graph has more than {} nodes and edges after "
      "inlining "
      "its functions",
      kMostNodesAndEdges);
}

const IndexedFunction& Planner::Find(const std::string& name,
                                     const std::string& place) {
  const auto found = functions_.find(name);
  if (found == functions_.end()) {
    throw DataLoss("{}: there is no function '{}'", place, name);
  }
  IndexedFunction& function = found->second;
  if (function.nodes.empty()) {
    for (const NodeDef& node : function.function->node_def()) {
      if (!function.nodes.emplace(node.name(), &node).second) {
        throw DataLoss("[LoadSavedModel] function '{}' has two nodes '{}'",
                       name, node.name());
      }
    }
  }
  return function;
}

Values Planner::Call(const std::string& name, const Values& arguments,
                     const std::string& place) {
  const IndexedFunction& function = Find(name, place);
  const auto& signature = function.function->signature();
  if (signature.input_arg_size() != static_cast<int>(arguments.size())) {
    throw DataLoss("{}: function '{}' has {} arguments, not {}", place, name,
                   signature.input_arg_size(), arguments.size());
  }
  if (++depth_ > kDeepestCall) {
    throw Unimplemented("{}: calls of functions are nested more than {} deep",
                        place, kDeepestCall);
  }
  Count(1 + signature.input_arg_size() + signature.output_arg_size() +
        static_cast<int64_t>(function.function->control_ret().size()));
  Values results = CallPlanner(*this, function, arguments).Results();
  --depth_;
  return results;
}

Value Planner::Read(int variable) {
  const auto [found, is_new] = read_.try_emplace(variable, plan_.num_values);
  if (is_new) {
    plan_.variables[NewValue()] = static_cast<size_t>(variable);
  }
  return TensorValue(found->second);
}

Value Planner::AddCaptured(const Captured& captured) {
  if (captured.table != nullptr) {
    tables_.push_back(captured.table);
    return {ValueKind::kTable, static_cast<int>(tables_.size()) - 1};
  }
  if (!captured.constant.defined()) {
    return {ValueKind::kVariable, static_cast<int>(captured.variable)};
  }
  const int number = NewValue();
  plan_.constants.emplace(number, captured.constant);
  return TensorValue(number);
}

Value Planner::AddConstant(const NodeAttributes& attributes) {
  attributes.ExpectInputs(0);
  Tensor constant = ReadConstant(attributes.Constant("value"),
                                 attributes.place(), most_bytes_);
  most_bytes_ -= static_cast<double>(constant.bytes());
  const int number = NewValue();
  plan_.constants.emplace(number, std::move(constant));
  return TensorValue(number);
}

Values Planner::AddStep(Operation operation, const Values& inputs) {
  Plan::Step step;
  step.operation = std::move(operation);
  for (const Value& input : inputs) {
    if (input.kind != ValueKind::kTensor) {
      throw Unimplemented(
          "[LoadSavedModel] {} takes a variable or a table, not its value",
          step.operation.place);
    }
    step.inputs.push_back(input.number);
  }
  step.is_check = step.operation.place.ends_with("(Assert)");
  if (step.operation.compute_all) {
    step.num_outputs = static_cast<int>(step.operation.results.size());
  }
  Values results;
  for (int i = 0; i < step.num_outputs; ++i) {
    results.push_back(TensorValue(NewValue()));
  }
  step.output = results[0].number;
  plan_.steps.push_back(std::move(step));
  return results;
}

Plan Planner::Finish(const Values& results) {
  for (const Value& result : results) {
    if (result.kind != ValueKind::kTensor) {
      throw Unimplemented(
          "[LoadSavedModel] a result is a variable or a table, not its value");
    }
    plan_.results.push_back(result.number);
  }
  std::set<int> needed(plan_.results.begin(), plan_.results.end());
  std::vector<Plan::Step> kept;
  for (auto step = plan_.steps.rbegin(); step != plan_.steps.rend(); ++step) {
    bool is_needed = step->is_check;
    std::vector<int> unused;
    for (int i = 0; i < step->num_outputs; ++i) {
      const int output = step->output + i;
      if (needed.contains(output)) {
        is_needed = true;
      } else {
        unused.push_back(output);
      }
    }
    if (!is_needed) continue;
    step->last_used = unused;
    for (const int input : step->inputs) {
      if (needed.insert(input).second) step->last_used.push_back(input);
    }
    kept.push_back(std::move(*step));
  }
  std::ranges::reverse(kept);
  plan_.steps = std::move(kept);
  std::erase_if(plan_.constants,
                [&](const auto& c) { return !needed.contains(c.first); });
  std::erase_if(plan_.variables,
                [&](const auto& v) { return !needed.contains(v.first); });
  return std::move(plan_);
}

}  // namespace

Plan MakePlan(const saved_model::FunctionDefLibrary& library,
              const std::string& name, size_t num_inputs,
              const std::vector<Captured>& captured, double most_bytes) {
  Planner planner(library, most_bytes);
  Values arguments;
  for (size_t i = 0; i < num_inputs; ++i) {
    arguments.push_back(TensorValue(planner.NewValue()));
  }
  for (const Captured& one : captured) {
    arguments.push_back(planner.AddCaptured(one));
  }
  const Values results =
      planner.Call(name, arguments, "[LoadSavedModel] the signature");
  return planner.Finish(results);
}

}  // namespace lockstep::export_internal
