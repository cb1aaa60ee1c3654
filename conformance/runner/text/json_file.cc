#include "conformance/runner/text/json_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "conformance/runner/text/readable_text.h"

namespace lockstep {

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::Fields() const {
  CheckObject();
  std::vector<std::pair<std::string, JsonCursor>> fields;
  for (const auto& [key, unused] : json_->items()) {
    fields.emplace_back(key, (*this)[key]);
  }
  return fields;
}

JsonCursor JsonCursor::operator[](std::string_view field) const {
  const std::optional<JsonCursor> found = Find(field);
  if (!found) Fail(fmt::format("the field '{}' is missing", field));
  return *found;
}

std::optional<JsonCursor> JsonCursor::Find(std::string_view field) const {
  CheckObject();
  const auto found = json_->find(std::string(field));
  if (found == json_->end()) return std::nullopt;
  return JsonCursor(*found, file_, operation_,
                    fmt::format("{}.{}", path_, field));
}

std::vector<JsonCursor> JsonCursor::Items() const {
  if (!json_->is_array()) {
    Fail(fmt::format("wanted a list, got {}", json_->dump()));
  }
  std::vector<JsonCursor> items;
  for (size_t i = 0; i < json_->size(); ++i) {
    items.push_back(JsonCursor((*json_)[i], file_, operation_,
                               fmt::format("{}[{}]", path_, i)));
  }
  return items;
}

std::vector<JsonCursor> JsonCursor::SomeItems() const {
  std::vector<JsonCursor> items = Items();
  if (items.empty()) Fail("wanted at least one item, got none");
  return items;
}

const std::string& JsonCursor::String() const {
  if (!json_->is_string()) {
    Fail(fmt::format("wanted a string, got {}", json_->dump()));
  }
  return json_->get_ref<const std::string&>();
}

const std::string& JsonCursor::Text() const {
  const std::string& text = String();
  if (text.empty()) Fail("wanted a text, got an empty one");
  return text;
}

int64_t JsonCursor::Integer() const {
  const std::optional<int64_t> integer = IntegerIn(*json_);
  if (!integer) Fail(fmt::format("wanted an integer, got {}", json_->dump()));
  return *integer;
}

int64_t JsonCursor::IntegerOf(int64_t least, int64_t most) const {
  const std::optional<int64_t> integer = IntegerIn(*json_);
  if (!integer || *integer < least || *integer > most) {
    Fail(fmt::format("wanted an integer from {} to {}, got {}", least, most,
                     json_->dump()));
  }
  return *integer;
}

double JsonCursor::NonNegativeNumber() const {
  if (!json_->is_number() || !(json_->get<double>() >= 0)) {
    Fail(fmt::format("wanted a number of at least 0, got {}", json_->dump()));
  }
  return json_->get<double>();
}

void JsonCursor::AllowOnly(const std::vector<std::string_view>& fields) const {
  CheckObject();
  for (const auto& [key, unused] : json_->items()) {
    if (std::ranges::find(fields, key) == fields.end()) {
      Fail(fmt::format("unknown field '{}', wanted one of: {}", key,
                       fmt::join(fields, ", ")));
    }
  }
}

void JsonCursor::CheckFormat(int64_t format) const {
  const std::optional<JsonCursor> found = Find("format");
  if (found && found->json() != format) {
    found->Fail(fmt::format("this runner reads format {}, got {}", format,
                            found->json().dump()));
  }
}

void JsonCursor::Fail(const std::string& problem) const {
  throw InvalidArgument("[{}] {} at {}: {}", operation_, file_,
                        ReadableLine(path_), ReadableLine(problem));
}

void JsonCursor::CheckObject() const {
  if (!json_->is_object()) {
    Fail(fmt::format("wanted an object, got {}", json_->dump()));
  }
}

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
