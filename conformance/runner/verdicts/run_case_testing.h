// Cases of one observation, testees that say one thing, and what is made of it.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASE_TESTING_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASE_TESTING_H_

#include <utility>
#include <vector>

#include "conformance/runner/miniature_testee.h"
#include "conformance/runner/verdicts/run_case.h"

namespace lockstep {

// Of x, or of an error in data.x.
inline Expectation Expect(Relation relation, Json value, Level level) {
  Expectation expectation;
  expectation.relation = relation;
  expectation.value = std::move(value);
  if (relation == Relation::kError) {
    expectation.at_steps = {"data.x"};
  } else {
    expectation.observation = "x";
  }
  expectation.other_observation = "x";
  expectation.level = level;
  return expectation;
}

inline Case MakeCase(std::vector<Expectation> expect, Json replicas = 2) {
  return {.id = "input/numbers/count",
          .topic = "Numbers",
          .level = Level::kRequired,
          .states = "Numbers count.",
          .cites = {{"guide", "split"}},
          .given = {{"strategy", "mirrored"}, {"replicas", replicas}},
          .program = Json::parse(R"([{"observe": "x", "step": "data.x"}])"),
          .expect = std::move(expect)};
}

inline Case EqualsCase(Json value, Level level = Level::kRequired) {
  return MakeCase({Expect(Relation::kEquals, std::move(value), level)});
}

inline MiniatureTestee::Behaviour Says(Json x) {
  return [x](const Request&) { return Observations{{{"x", x}}}; };
}

inline MiniatureTestee::Behaviour FailsWith(const char* error_class) {
  return [=](const Request&) {
    return Failure{error_class, "[X] got 1, wanted 2", "data.x"};
  };
}

inline Verdict VerdictFor(const Case& conformance_case,
                          MiniatureTestee::Behaviour behaviour) {
  MiniatureTestee testee(std::move(behaviour));
  return RunCase(conformance_case, testee, {}).verdict;
}

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_VERDICTS_RUN_CASE_TESTING_H_
