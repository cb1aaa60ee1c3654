#include "conformance/runner/json_cursor.h"

#include <algorithm>

#include "conformance/runner/readable_text.h"

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

}  // namespace lockstep
