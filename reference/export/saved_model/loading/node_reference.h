// The names by which nodes of a graph refer to each other's results.
//
//   Reference input("dense/BiasAdd:output:0");
//   input.node;            // "dense/BiasAdd"
//   Reference("^check").is_control;      // true
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_NODE_REFERENCE_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_NODE_REFERENCE_H_

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace lockstep::export_internal {

// The parsed name of an input. "dense/BiasAdd:output:0" is the first result of
// dense/BiasAdd, "split:values:0" that which is named "values", "image" is an
// argument or the only result of a node, "^check" is a control input: a node that
// must run first.
struct Reference {
  explicit Reference(std::string_view text) {
    is_control = text.starts_with('^');
    if (is_control) text.remove_prefix(1);
    const size_t end = text.find(':');
    node = text.substr(0, end);
    if (end == std::string_view::npos) return;
    const size_t number = text.rfind(':');
    if (number > end) name = text.substr(end + 1, number - end - 1);
    const std::string_view rest = text.substr(number + 1);
    const auto [stop, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), result);
    if (error != std::errc() || stop != rest.data() + rest.size()) result = -1;
  }
  bool is_control;
  std::string_view node;
  std::string_view name;  // of the result
  int result = 0;
};

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_NODE_REFERENCE_H_
