#include "conformance/runner/program_reader.h"

#include "conformance/runner/name_forms.h"
#include "conformance/runner/program_limits.h"

namespace lockstep {
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
