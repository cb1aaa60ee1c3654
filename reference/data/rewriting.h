// A pipeline as a graph of nodes: to look at all of them, and to rewrite them.
// Each is visited and rewritten once, however many paths lead to it.
#ifndef LOCKSTEP_REFERENCE_DATA_REWRITING_H_
#define LOCKSTEP_REFERENCE_DATA_REWRITING_H_

#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// Calls `visit` once for each node of the pipelines, however many paths lead to
// it, first for those that end them; those in front of a node for which it
// returns false are reached by other paths, if at all.
using NodeVisitor = std::function<bool(const DatasetNode&)>;
void VisitNodes(std::span<const NodePtr> pipelines, const NodeVisitor& visit);
void VisitNodes(const DatasetNode& pipeline, const NodeVisitor& visit);

// The first node in that order for which `wanted` holds; nullptr where none is.
const DatasetNode* FindNode(const DatasetNode& pipeline,
                            const NodeVisitor& wanted);

// Rewrites pipelines by a rule. A node is rewritten once, however many paths
// lead to it, so that what was one node is one after it:
//
//   Rewriting all([](Rewriting& all, const NodePtr& node) {
//     const NodePtr own = all.OfInputs(node);   // its inputs first
//     return own->kind() == NodeKind::kPrefetch ? own->inputs()[0] : own;
//   });
//   all.Of(batches);                            // without its prefetches
class Rewriting {
 public:
  using Rule = std::function<NodePtr(Rewriting&, const NodePtr&)>;
  // Rules of the same name, if they have one, rewrite alike: a cache has the
  // same form in all of them, and keeps in it what it holds.
  explicit Rewriting(Rule rule, std::string name = "")
      : rule_(std::move(rule)), name_(std::move(name)) {}

  // What takes the place of `node`.
  NodePtr Of(const NodePtr& node);
  // The form of `node` that reads what takes the place of its inputs: the same
  // node where that is these.
  NodePtr OfInputs(const NodePtr& node);

 private:
  Rule rule_;
  std::string name_;
  std::unordered_map<const DatasetNode*, NodePtr> done_;
};

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_REWRITING_H_
