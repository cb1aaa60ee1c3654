#include "conformance/runner/cases/program.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance/runner/text/name_forms.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

void Collect(const Json& program, std::vector<std::string>& names) {
  for (const Json& step : program) {
    if (step.contains("observe")) names.push_back(step["observe"]);
    if (step.contains("program")) Collect(step["program"], names);
  }
}

}  // namespace

std::vector<std::string> ObservationNamesOf(const Json& program) {
  std::vector<std::string> names;
  Collect(program, names);
  return names;
}

StepNames LoadStepNames(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw NotFound("[LoadStepNames] cannot read {}", path);
  constexpr std::string_view kLead = "### `";
  StepNames names;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kLead) || !line.ends_with('`')) continue;
    const std::string name =
        line.substr(kLead.size(), line.size() - kLead.size() - 1);
    if (!names.insert(name).second) {
      throw InvalidArgument("[LoadStepNames] {} describes '{}' twice", path,
                            name);
    }
  }
  if (names.empty()) {
    throw InvalidArgument("[LoadStepNames] {} describes no step", path);
  }
  return names;
}

namespace {

void CheckName(const JsonCursor& cursor) {
  if (!IsName(cursor.String())) {
    cursor.Fail(
        fmt::format("'{}' is no name in lower snake case", cursor.String()));
  }
}

void CheckSteps(const JsonCursor& program, const StepNames& steps,
                ObservationNames& observations) {
  for (const JsonCursor& step : program.SomeItems()) {
    const std::string& name = step["step"].String();
    if (!steps.contains(name)) {
      step["step"].Fail(fmt::format(
          "unknown step '{}': operations.md does not describe it", name));
    }
    // A text is the name of an integer, which the testee checks.
    const auto times = step.Find("times");
    if (name == "program.repeat" && times && !times->json().is_string()) {
      times->IntegerOf(0, kMostRounds);
    }
    if (const auto let = step.Find("let")) CheckName(*let);
    if (const auto observe = step.Find("observe")) {
      CheckName(*observe);
      if (!observations.insert(observe->String()).second) {
        observe->Fail(
            fmt::format("'{}' is observed by two steps", observe->String()));
      }
    }
    if (const auto block = step.Find("program")) {
      CheckSteps(*block, steps, observations);
    }
  }
}

}  // namespace

ObservationNames CheckProgram(const JsonCursor& program,
                              const StepNames& steps) {
  ObservationNames observations;
  CheckSteps(program, steps, observations);
  return observations;
}

}  // namespace lockstep
