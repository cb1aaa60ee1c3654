#include "conformance/runner/cases/named_values.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "conformance/runner/text/name_forms.h"

namespace lockstep {
namespace {

void CheckPlaces(const JsonCursor& cursor, std::string_view kind,
                 const Json& values, std::string_view owner,
                 std::set<std::string>& used) {
  if (const auto name = NameIn(cursor.json(), kind)) {
    used.insert(*name);
    if (!values.contains(*name)) {
      cursor.Fail(fmt::format("{} has no '{}'", owner, *name));
    }
  } else if (cursor.json().is_object()) {
    for (const auto& [field, value] : cursor.Fields()) {
      CheckPlaces(value, kind, values, owner, used);
    }
  } else if (cursor.json().is_array()) {
    for (const JsonCursor& item : cursor.Items()) {
      CheckPlaces(item, kind, values, owner, used);
    }
  }
}

void Fill(Json& place, std::string_view kind, const Json& values) {
  if (const auto name = NameIn(place, kind)) {
    place = values.at(*name);
  } else if (place.is_structured()) {
    for (Json& item : place) Fill(item, kind, values);
  }
}

}  // namespace

std::optional<std::string> NameIn(const Json& value, std::string_view kind) {
  if (!value.is_object() || value.size() != 1) return std::nullopt;
  const auto name = value.find(kind);
  if (name == value.end() || !name->is_string()) return std::nullopt;
  return name->get<std::string>();
}

Json WithValues(Json program, std::string_view kind, const Json& values) {
  if (!values.empty()) Fill(program, kind, values);
  return program;
}

std::set<std::string> CheckNames(const JsonCursor& program,
                                 std::string_view kind, const Json& values,
                                 std::string_view owner) {
  std::set<std::string> used;
  CheckPlaces(program, kind, values, owner, used);
  return used;
}

void CheckAllUsed(const JsonCursor& values, const std::set<std::string>& used,
                  std::string_view complaint) {
  for (const auto& [name, value] : values.Fields()) {
    if (!IsName(name)) {
      value.Fail(fmt::format("'{}' is not a name in lower snake case", name));
    }
    if (!used.contains(name)) {
      value.Fail(fmt::format("{} use '{}'", complaint, name));
    }
  }
}

}  // namespace lockstep
