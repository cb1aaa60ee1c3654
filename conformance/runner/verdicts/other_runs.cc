#include "conformance/runner/verdicts/other_runs.h"

#include <fmt/core.h>

#include <random>

namespace lockstep {

std::string DrawToken() {
  thread_local std::random_device draw;  // making one takes longer than drawing
  return fmt::format("{:08x}{:08x}", draw(), draw());
}

const OtherRuns::Run& OtherRuns::Ask(const Json& given, const Json& program) {
  const std::pair key(given.dump(), program.dump());
  const auto known = runs_.find(key);
  if (known != runs_.end()) return known->second;
  Run run{.token = DrawToken(), .answer = {}};
  run.answer = AskTestee(
      testee_, {.token = run.token, .given = given, .program = program});
  return runs_.emplace(key, std::move(run)).first->second;
}

}  // namespace lockstep
