#include "reference/data/rewriting.h"

#include <unordered_set>
#include <vector>

namespace lockstep::data_internal {
namespace {

using NodeSet = std::unordered_set<const DatasetNode*>;

void Visit(const DatasetNode& node, const NodeVisitor& visit, NodeSet& seen) {
  if (!seen.insert(&node).second || !visit(node)) return;
  for (const NodePtr& input : node.inputs()) Visit(*input, visit, seen);
}

}  // namespace

void VisitNodes(std::span<const NodePtr> pipelines, const NodeVisitor& visit) {
  NodeSet seen;
  for (const NodePtr& pipeline : pipelines) Visit(*pipeline, visit, seen);
}

void VisitNodes(const DatasetNode& pipeline, const NodeVisitor& visit) {
  NodeSet seen;
  Visit(pipeline, visit, seen);
}

NodePtr Rewriting::Of(const NodePtr& node) {
  if (const auto done = done_.find(node.get()); done != done_.end()) {
    return done->second;
  }
  NodePtr rewritten = rule_(*this, node);
  done_.emplace(node.get(), rewritten);
  return rewritten;
}

NodePtr Rewriting::OfInputs(const NodePtr& node) {
  std::vector<NodePtr> inputs;
  for (const NodePtr& input : node->inputs()) inputs.push_back(Of(input));
  if (inputs == node->inputs()) return node;
  NodePtr form = node->WithInputs(std::move(inputs));
  return name_.empty() ? form : node->KeepForm(name_, std::move(form));
}

}  // namespace lockstep::data_internal
