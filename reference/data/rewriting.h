// Visits and rewrites the nodes of a pipeline, each once, however many paths
// lead to it.
#ifndef LOCKSTEP_REFERENCE_DATA_REWRITING_H_
#define LOCKSTEP_REFERENCE_DATA_REWRITING_H_

#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Calls `visit` once for each node of the pipelines, for a node before its
// inputs. If it returns false, the inputs of that node are visited only if
// other paths lead to them.
using NodeVisitor = std::function<bool(const DatasetNode&)>;
void VisitNodes(std::span<const NodePtr> pipelines, const NodeVisitor& visit);
void VisitNodes(const DatasetNode& pipeline, const NodeVisitor& visit);

// The first node in that order for which `wanted` returns true, or nullptr.
const DatasetNode* FindNode(const DatasetNode& pipeline,
                            const NodeVisitor& wanted);

// Rewrites pipelines by a rule. A node is rewritten once, so that shared nodes
// stay shared:
//
//   Rewriting all([](Rewriting& all, const NodePtr& node) {
//     const NodePtr own = all.OfInputs(node);   // its inputs first
//     return own->kind() == NodeKind::kPrefetch ? own->inputs()[0] : own;
//   });
//   all.Of(batches);                            // without its prefetches
class Rewriting {
 public:
  using Rule = std::function<NodePtr(Rewriting&, const NodePtr&)>;
  // Rules with the same non-empty name must rewrite in the same way: they share
  // one form of each cache, with its contents.
  explicit Rewriting(Rule rule, std::string name = "")
      : rule_(std::move(rule)), name_(std::move(name)) {}

  // The replacement of `node`.
  NodePtr Of(const NodePtr& node);
  // The form of `node` that reads the replacements of its inputs: `node` itself
  // if none of them changes.
  NodePtr OfInputs(const NodePtr& node);

 private:
  Rule rule_;
  std::string name_;
  std::unordered_map<const DatasetNode*, NodePtr> done_;
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_REWRITING_H_
