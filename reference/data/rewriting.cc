#include "reference/data/rewriting.h"

#include <unordered_set>
#include <vector>

namespace lockstep::data_internal {
namespace {

using NodeSet = std::unordered_set<const DatasetNode*>;

// A node with one owner is reached by one path only.
bool IsFirstVisit(const NodePtr& node, NodeSet& seen) {
  return node.use_count() == 1 || seen.insert(node.get()).second;
}

void Visit(const DatasetNode& node, const NodeVisitor& visit, NodeSet& seen) {
  if (!visit(node)) return;
  for (const NodePtr& input : node.inputs()) {
    if (IsFirstVisit(input, seen)) Visit(*input, visit, seen);
  }
}

}  // namespace

void VisitNodes(std::span<const NodePtr> pipelines, const NodeVisitor& visit) {
  NodeSet seen;
  for (const NodePtr& pipeline : pipelines) {
    if (seen.insert(pipeline.get()).second) Visit(*pipeline, visit, seen);
  }
}

void VisitNodes(const DatasetNode& pipeline, const NodeVisitor& visit) {
  NodeSet seen;
  Visit(pipeline, visit, seen);
}

const DatasetNode* FindNode(const DatasetNode& pipeline,
                            const NodeVisitor& wanted) {
  const DatasetNode* found = nullptr;
  VisitNodes(pipeline, [&](const DatasetNode& node) {
    if (found == nullptr && wanted(node)) found = &node;
    return found == nullptr;
  });
  return found;
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
