// A small case for the runner's tests.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_TESTING_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_TESTING_H_

#include <string>

#include "conformance/runner/cases/case.h"

namespace lockstep {

// Expects x to equal 1.
inline Case OneIsOne(const std::string& id, Level level = Level::kRequired) {
  Expectation expectation;
  expectation.level = level;
  expectation.observation = "x";
  expectation.value = 1;
  return {.id = id,
          .topic = "Numbers",
          .level = level,
          .states = "One is one.",
          .cites = {{"guide", "split"}},
          .given = {{"strategy", "default"}},
          .program = Json::parse(R"([{"observe": "x", "step": "data.x"}])"),
          .expect = {expectation},
          .expect_json = Json::parse(R"([{"observation": "x", "equals": 1}])")};
}

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_CASES_CASE_TESTING_H_
