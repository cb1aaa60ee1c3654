// Holds the answer of a testee against the expectations of a case.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_JUDGE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_JUDGE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/runner/case.h"
#include "conformance/runner/testee.h"
#include "conformance/runner/verdict.h"

namespace lockstep {

// Gives the answer of the same program with fields of `given` replaced.
using Rerun = std::function<Answer(const Json& other_given)>;

// Findings of the expectations that apply to the dialect, in their order; the
// expectations outlive them. `rerun` is called for those that compare with
// another run.
std::vector<Finding> FindingsOf(const std::vector<Expectation>& expectations,
                                const Dialect& dialect, const Answer& answer,
                                const Rerun& rerun);

// Why there is nothing to judge in a testee of this dialect: every expectation
// that counts is for others. Expectations of level `observed` count where
// `judge_observed`, or where there are no others.
std::optional<std::string> WhyNothingApplies(
    const std::vector<Expectation>& expectations, const Dialect& dialect,
    bool judge_observed);

// Of an answer that holds nothing to judge: unsupported, timed_out, crashed or
// protocol_error.
std::optional<Verdict> VerdictWithoutJudging(const Answer& answer);

// The verdict of one run: expectations of level `observed` do not count,
// unless `judge_observed`.
Verdict VerdictOf(const Answer& answer, const std::vector<Finding>& findings,
                  bool judge_observed);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_JUDGE_H_
