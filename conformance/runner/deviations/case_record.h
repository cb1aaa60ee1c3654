// The result of a case over all repetitions, and its difference from a recorded
// one.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_CASE_RECORD_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_CASE_RECORD_H_

#include <string>

#include "conformance/runner/verdicts/compare.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// The outcome of a case that did not pass: the part of a result that must match
// the recorded one. One of
//   {"observations": {"x": 3}}            the unexpected ones
//   {"error": {"class": "InvalidArgument", "at_step": "loss.compute"}}
//   {"unsupported": {"step": "strategy.gather"}}
//   {"timed_out": true}, {"crashed": "SIGSEGV"}, {"protocol_error": true}
// `same_as` adds {"compared_with": {"x": 4}}. A program that succeeded although
// an error was expected has all its observations. A case with several replica
// counts has {"replicas": {"3": <one of these>}}, with the runs that did not
// pass. REQUIRES: MayBeListed(result.verdict).
Json ActualOutcome(const CaseResult& result);

// How the outcome differs from the recorded one. Processors round differently:
// a number may be off by the rtol and atol of the case; without these, a number
// of `same_as` may be off by the estimated effect of rounding, or by its
// rounding units (Rounding). REQUIRES: MayBeListed(result.verdict).
Difference DiffRecorded(const Json& recorded, const CaseResult& result);

// One case over all repetitions.
//
//   CaseRecord record(RunCase(...));
//   record.Add(RunCase(...));
//   record.flicker();    // "repetition 2 differs from the first: ..."
class CaseRecord {
 public:
  explicit CaseRecord(CaseResult first);

  // Another repetition of the same case.
  void Add(CaseResult repetition);

  const std::string& id() const { return worst_.conformance_case->id; }
  // The first result with the worst verdict.
  const CaseResult& result() const { return worst_; }
  // How a repetition differs from the first: in its verdict, in whether an
  // expectation holds, in its outcome. Messages, times and values that break no
  // expectation may differ. Empty if all repetitions agree.
  const std::string& flicker() const { return flicker_; }

 private:
  Json first_;  // the part that must stay the same
  CaseResult worst_;
  std::string flicker_;
  int repetitions_ = 1;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_CASE_RECORD_H_
