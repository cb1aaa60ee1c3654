#include "conformance/runner/compact_json.h"

#include <algorithm>
#include <functional>

namespace lockstep {
namespace {

constexpr size_t kWidth = 110;

// Characters, not bytes: continuation bytes of UTF-8 are not counted.
size_t Columns(const std::string& text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

// Texts of testees may hold what is no UTF-8.
std::string WriteScalar(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The items of a list or object, each as `write` writes it behind its key.
std::string Join(
    const Json& value, const std::string& separator,
    const std::function<std::string(const Json&, size_t key_columns)>& write) {
  std::string text;
  for (const auto& [key, item] : value.items()) {
    const std::string start =
        value.is_object() ? WriteScalar(key) + ": " : std::string();
    if (!text.empty()) text += separator;
    text += start + write(item, Columns(start));
  }
  return text;
}

std::string InBrackets(const Json& value, const std::string& inside) {
  return value.is_object() ? "{" + inside + "}" : "[" + inside + "]";
}

// A list of objects is one of entries: it is easier to review in lines.
bool IsListOfEntries(const Json& value, size_t indent) {
  return value.is_array() && !value.empty() && value[0].is_object() &&
         indent < 4;
}

// `lead`: the columns before the value on its line, and one for a comma behind.
std::string Write(const Json& value, size_t indent, size_t lead) {
  const std::string line = OneLineJson(value);
  const bool fits = Columns(line) + lead <= kWidth;
  if (!value.is_structured() || value.empty() ||
      (fits && !IsListOfEntries(value, indent))) {
    return line;
  }
  const size_t inner = indent + 2;
  const std::string margin = "\n" + std::string(inner, ' ');
  const std::string items =
      Join(value, "," + margin, [&](const Json& item, size_t key_columns) {
        return Write(item, inner, inner + key_columns + 1);
      });
  return InBrackets(value, margin + items + "\n" + std::string(indent, ' '));
}

}  // namespace

std::string OneLineJson(const Json& value) {
  if (!value.is_structured()) return WriteScalar(value);
  return InBrackets(value, Join(value, ", ", [](const Json& item, size_t) {
                      return OneLineJson(item);
                    }));
}

std::string CompactJson(const Json& value) { return Write(value, 0, 0) + "\n"; }

}  // namespace lockstep
