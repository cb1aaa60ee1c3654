#include "reference/data/printing/pipeline_text.h"

#include <unordered_map>
#include <unordered_set>

#include "reference/data/dataset_options.h"
#include "reference/data/rewriting.h"

namespace lockstep::data_internal {

Arguments& Arguments::AddCalls(int64_t num_parallel_calls) {
  if (num_parallel_calls == kAutotune) {
    return Add("num_parallel_calls", "automatic");
  }
  return Add("num_parallel_calls", num_parallel_calls, int64_t{0});
}

std::string CardinalityText(int64_t cardinality) {
  if (cardinality == kInfiniteCardinality) return "infinite";
  if (cardinality == kUnknownCardinality) return "unknown";
  return std::to_string(cardinality);
}

namespace {

std::string Describe(const DatasetNode& node, const NodeText& name,
                     std::unordered_set<const DatasetNode*>& seen) {
  std::string text = name(node);
  if (node.inputs().empty()) return text;
  if (!seen.insert(&node).second) return text + "(...)";
  std::string_view before = "(";
  for (const NodePtr& input : node.inputs()) {
    text.append(before).append(Describe(*input, name, seen));
    before = ", ";
  }
  return text + ")";
}

class Tree {
 public:
  Tree(const DatasetNode& root, const NodeText& note) : note_(note) {
    VisitNodes(root, [&](const DatasetNode& node) {
      for (const NodePtr& input : node.inputs()) ++readers_[input.get()];
      return true;
    });
  }

  void Add(const DatasetNode& node, size_t depth) {
    if (!text_.empty()) text_ += "\n";
    text_.append(2 * depth, ' ');
    if (readers_[&node] > 1) {
      const auto [numbered, is_new] =
          numbers_.try_emplace(&node, numbers_.size() + 1);
      text_ += fmt::format("#{}", numbered->second);
      if (!is_new) return;
      text_ += " ";
    }
    AddLine(node);
    for (const NodePtr& input : node.inputs()) Add(*input, depth + 1);
  }

  std::string&& text() && { return std::move(text_); }

 private:
  void AddLine(const DatasetNode& node) {
    text_ += node.name();
    if (const std::string arguments = node.arguments(); !arguments.empty()) {
      text_ += "(" + arguments + ")";
    }
    const std::string note = note_ ? note_(node) : "";
    if (!note.empty()) text_ += "  # " + note;
  }

  const NodeText& note_;
  std::unordered_map<const DatasetNode*, int> readers_;
  std::unordered_map<const DatasetNode*, size_t> numbers_;
  std::string text_;
};

}  // namespace

std::string Describe(const DatasetNode& node, const NodeText& name) {
  std::unordered_set<const DatasetNode*> seen;
  return Describe(node, name, seen);
}

std::string Describe(const DatasetNode& node) {
  return Describe(node, [](const DatasetNode& described) {
    return std::string(described.name());
  });
}

std::string DescribeTree(const DatasetNode& node, const NodeText& note) {
  Tree tree(node, note);
  tree.Add(node, 0);
  return std::move(tree).text();
}

}  // namespace lockstep::data_internal
