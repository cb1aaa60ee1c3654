// Pipelines as text: for messages in one line, for people as a tree.
#ifndef LOCKSTEP_REFERENCE_DATA_PIPELINE_TEXT_H_
#define LOCKSTEP_REFERENCE_DATA_PIPELINE_TEXT_H_

#include <fmt/core.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "reference/data/dataset_node.h"

namespace lockstep::data_internal {

// What DatasetNode::arguments() returns:
//
//   Arguments().Add("size", 4).Add("drop_remainder", false, false).text();
//                                                        // "size=4"
class Arguments {
 public:
  template <typename T>
  Arguments& Add(std::string_view name, const T& value) {
    text_ += fmt::format("{}{}={}", text_.empty() ? "" : ", ", name, value);
    return *this;
  }
  // Nothing for the value that it has by default.
  template <typename T>
  Arguments& Add(std::string_view name, const T& value,
                 const T& default_value) {
    return value == default_value ? *this : Add(name, value);
  }
  // "automatic" for kAutotune.
  Arguments& AddCalls(int64_t num_parallel_calls);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// "3", "infinite" or "unknown".
std::string CardinalityText(int64_t cardinality);

// Text about a node.
using NodeText = std::function<std::string(const DatasetNode&)>;

// "Batch(Zip(Range, TensorSlices))". The inputs of a node are shown once:
// "Zip(Batch(Range), Batch(...))".
std::string Describe(const DatasetNode& node);
// The same with what `name` gives in place of the node's name.
std::string Describe(const DatasetNode& node, const NodeText& name);

// A line for each node, with its arguments; its inputs follow, indented. A node
// that several others read has a number, and is shown once:
//
//   Zip
//     #1 Batch(size=2)
//       Range(stop=3)
//     #1
//
// What `note` returns of a node, if anything, ends its line: "Zip  # note".
std::string DescribeTree(const DatasetNode& node,
                         const NodeText& note = nullptr);

}  // namespace lockstep::data_internal

#endif  // LOCKSTEP_REFERENCE_DATA_PIPELINE_TEXT_H_
