#include "conformance/runner/probe/content_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <variant>

#include "conformance/runner/cases/program.h"
#include "conformance/runner/text/name_forms.h"

namespace lockstep {
namespace {

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void CheckSteps(const std::vector<std::string>& steps,
                const Operations& operations, Mistakes& mistakes) {
  if (steps.empty()) {
    mistakes.push_back({"at $.steps: wanted at least one step, got none",
                        "declare each step once it works"});
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!operations.Find(steps[i])) {
      mistakes.push_back(
          {fmt::format("at $.steps[{}]: no document describes a step '{}'", i,
                       steps[i]),
           "declare the steps under their names in operations.md and "
           "intents.md"});
    }
    if (std::find(steps.begin(), steps.begin() + i, steps[i]) !=
        steps.begin() + i) {
      mistakes.push_back(
          {fmt::format("at $.steps[{}]: duplicate step '{}'", i, steps[i]),
           "declare each step once"});
    }
  }
}

}  // namespace

Mistakes MistakesIn(const TesteeDeclaration& declaration,
                    const Operations& operations,
                    const Conventions& conventions) {
  Mistakes mistakes;
  if (!IsName(declaration.name)) {
    mistakes.push_back(
        {fmt::format("at $.name: '{}' is not a name in lower snake case",
                     declaration.name),
         "declare a short name such as \"tensorflow\": it is also the name of "
         "the "
         "list of deviations"});
  }
  if (declaration.devices.empty()) {
    mistakes.push_back(
        {"at $.devices: wanted at least one device, got none",
         "declare the kinds of devices that replicas run on, such as "
         "[\"CPU\"]"});
  }
  CheckSteps(declaration.steps, operations, mistakes);
  for (const auto& [convention, value] : declaration.conventions) {
    const std::string problem = conventions.Problem(convention, value);
    if (problem.empty()) continue;
    mistakes.push_back(
        {fmt::format("at $.conventions.{}: {}", convention, problem),
         "declare conventions and values of conventions.json; the default is "
         "the "
         "first value"});
  }
  return mistakes;
}

namespace {

void CheckObserved(const Json& values, const Json& program,
                   Mistakes& mistakes) {
  const std::vector<std::string> expected = ObservationNamesOf(program);
  for (const std::string& name : expected) {
    if (values.contains(name)) continue;
    mistakes.push_back(
        {fmt::format("at $.observations: '{}' is missing, though the program "
                     "ran to its end",
                     name),
         "report a value for every `observe`, also in blocks (an empty list "
         "for a block that did not run)"});
  }
  for (const auto& [name, unused] : values.items()) {
    if (Contains(expected, name)) continue;
    mistakes.push_back(
        {fmt::format("at $.observations: no step of the program observes '{}'",
                     name),
         "report under the names after `observe`, not those after `let`"});
  }
}

void CheckStep(const std::string& step, const char* place, const Json& program,
               Mistakes& mistakes) {
  if (Contains(StepNamesOf(program), step)) return;
  mistakes.push_back(
      {fmt::format("at {}: the program has no step '{}'", place, step),
       "name the innermost step that failed as the program writes it"});
}

}  // namespace

Mistakes MistakesIn(const Reply& reply, int64_t seq, const Json& program) {
  Mistakes mistakes;
  if (reply.seq != seq) {
    mistakes.push_back(
        {fmt::format("at $.seq: {}, but the program came with {}", reply.seq,
                     seq),
         "copy seq from the command; answer each program once, in order"});
  }
  if (const auto* observed = std::get_if<Observations>(&reply.answer)) {
    CheckObserved(observed->values, program, mistakes);
  } else if (const auto* unsupported =
                 std::get_if<Unsupported>(&reply.answer)) {
    CheckStep(unsupported->step, "$.unsupported.step", program, mistakes);
  } else if (const auto& failure = std::get<Failure>(reply.answer);
             failure.at_step == "testee") {
    mistakes.push_back(
        {fmt::format("the testee itself failed: {}: {}", failure.error_class,
                     failure.message),
         "fix it; answer what it cannot do with \"unsupported\""});
  } else {
    CheckStep(failure.at_step, "$.error.at_step", program, mistakes);
  }
  return mistakes;
}

}  // namespace lockstep
