#include "conformance/runner/cases/parameters.h"

#include <utility>

#include "conformance/runner/cases/named_values.h"

namespace lockstep {
namespace {

constexpr const char* kParameter = "parameter";
constexpr const char* kParameters = "parameters";

}  // namespace

std::optional<std::string> ParameterIn(const Json& value) {
  return NameIn(value, kParameter);
}

Json WithParameters(Json program, const Json& parameters) {
  return WithValues(std::move(program), kParameter, parameters);
}

void CheckParameters(const JsonCursor& program, const JsonCursor& parameters) {
  CheckAllUsed(parameters,
               CheckNames(program, kParameter, parameters.json(),
                          "'parameters' of 'given'"),
               "the program does not");
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
