#include "conformance/runner/cases/parameters.h"

#include <fmt/core.h>

#include <set>

#include "conformance/runner/text/name_forms.h"

namespace lockstep {
namespace {

constexpr const char* kParameter = "parameter";
constexpr const char* kParameters = "parameters";

// Every place of `cursor` that leaves something open; adds what it is called.
void CheckUses(const JsonCursor& cursor, const Json& parameters,
               std::set<std::string>& used) {
  if (cursor.json().is_object()) {
    if (const auto name = ParameterIn(cursor.json())) {
      used.insert(*name);
      if (!parameters.contains(*name)) {
        cursor.Fail(fmt::format("'parameters' of 'given' has no '{}'", *name));
      }
      return;
    }
    for (const auto& [field, value] : cursor.Fields()) {
      CheckUses(value, parameters, used);
    }
  } else if (cursor.json().is_array()) {
    for (const JsonCursor& item : cursor.Items()) {
      CheckUses(item, parameters, used);
    }
  }
}

void Fill(Json& value, const Json& parameters) {
  if (const auto name = ParameterIn(value)) {
    value = parameters.at(*name);
  } else if (value.is_structured()) {
    for (Json& item : value) Fill(item, parameters);
  }
}

}  // namespace

std::optional<std::string> ParameterIn(const Json& value) {
  if (!value.is_object() || value.size() != 1) return std::nullopt;
  const auto name = value.find(kParameter);
  if (name == value.end() || !name->is_string()) return std::nullopt;
  return name->get<std::string>();
}

Json WithParameters(Json program, const Json& parameters) {
  if (!parameters.empty()) Fill(program, parameters);
  return program;
}

void CheckParameters(const JsonCursor& program, const JsonCursor& parameters) {
  std::set<std::string> used;
  CheckUses(program, parameters.json(), used);
  for (const auto& [name, value] : parameters.Fields()) {
    if (!IsName(name)) {
      value.Fail(fmt::format("'{}' is no name in lower snake case", name));
    }
    if (!used.contains(name)) {
      value.Fail(fmt::format("the program does not use '{}'", name));
    }
  }
}

SplitGiven SplitOff(const Json& given) {
  SplitGiven split{.given = given};
  const auto parameters = given.find(kParameters);
  if (parameters != given.end()) {
    split.parameters = *parameters;
    split.given.erase(kParameters);
  }
  return split;
}

Json MergeGiven(const Json& given, const Json& other) {
  Json merged = given;
  merged.update(other, /*merge_objects=*/true);
  return merged;
}

}  // namespace lockstep
