#include "conformance/runner/text/json_file.h"

#include <fmt/format.h>

#include <algorithm>
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

std::vector<JsonCursor> JsonCursor::NonEmptyItems() const {
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
  if (text.empty()) Fail("wanted a non-empty string, got \"\"");
  return text;
}

int64_t JsonCursor::Integer() const {
  const std::optional<int64_t> integer = IntegerIn(*json_);
  if (!integer) Fail(fmt::format("wanted an integer, got {}", json_->dump()));
  return *integer;
}

int64_t JsonCursor::IntegerBetween(int64_t least, int64_t most) const {
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

// Texts of testees may contain invalid UTF-8.
std::string WriteScalar(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Appends the value on one line. Stops once the text has more than `most`
// bytes, and returns false.
bool AppendOneLine(const Json& value, size_t most, std::string& text) {
  if (!value.is_structured()) {
    text += WriteScalar(value);
    return text.size() <= most;
  }
  const char* separator = "";
  text += value.is_object() ? '{' : '[';
  for (auto item = value.begin(); item != value.end(); ++item) {
    text += separator;
    if (value.is_object()) text += WriteScalar(item.key()) + ": ";
    if (!AppendOneLine(*item, most, text)) return false;
    separator = ", ";
  }
  text += value.is_object() ? '}' : ']';
  return text.size() <= most;
}

// A list of objects has one line per entry, which is easier to review.
bool IsListOfEntries(const Json& value, size_t indent) {
  return value.is_array() && !value.empty() && value[0].is_object() &&
         indent < 4;
}

// `lead`: the columns before the value on its line, and one for the comma after
// it.
bool FitsOnALine(const Json& value, size_t lead, std::string& line) {
  constexpr size_t kMaxBytesPerCharacter = 4;
  return AppendOneLine(value, kMaxBytesPerCharacter * kWidth, line) &&
         Columns(line) + lead <= kWidth;
}

void Append(const Json& value, size_t indent, size_t lead, std::string& text) {
  if (!value.is_structured() || value.empty()) {
    text += OneLineJson(value);
    return;
  }
  if (std::string line;
      !IsListOfEntries(value, indent) && FitsOnALine(value, lead, line)) {
    text += line;
    return;
  }
  const size_t inner = indent + 2;
  const char* separator = "";
  text += value.is_object() ? '{' : '[';
  for (auto item = value.begin(); item != value.end(); ++item) {
    text += separator + ("\n" + std::string(inner, ' '));
    const std::string key =
        value.is_object() ? WriteScalar(item.key()) + ": " : std::string();
    text += key;
    Append(*item, inner, inner + Columns(key) + 1, text);
    separator = ",";
  }
  text += "\n" + std::string(indent, ' ');
  text += value.is_object() ? '}' : ']';
}

}  // namespace

std::string OneLineJson(const Json& value) {
  std::string text;
  AppendOneLine(value, text.max_size(), text);
  return text;
}

bool IsLongerThan(size_t bytes, const Json& value) {
  std::string text;
  return !AppendOneLine(value, bytes, text);
}

std::string CompactJson(const Json& value) {
  std::string text;
  Append(value, 0, 0, text);
  return text + "\n";
}

}  // namespace lockstep
