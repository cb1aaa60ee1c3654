// What a run found out about a case, and how that differs from what was recorded.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_CASE_RECORD_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_CASE_RECORD_H_

#include <string>

#include "conformance/runner/verdicts/compare.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// What came instead of what a case expects: the part of a result that has to stay
// as it was recorded. One of
//   {"observations": {"x": 3}}            those that break an expectation
//   {"error": {"class": "InvalidArgument", "at_step": "loss.compute"}}
//   {"unsupported": {"step": "strategy.gather"}}
//   {"timed_out": true}, {"crashed": "SIGSEGV"}, {"protocol_error": true}
// `same_as` adds {"compared_with": {"x": 4}}. A program that ended well where
// an error was expected has all it observed. Of a case with several replica
// counts: {"replicas": {"3": <one of these>}}, with the runs that did not pass.
// REQUIRES: MayBeListed(result.verdict).
Json WhatCameInstead(const CaseResult& result);

// How that differs from what was recorded. Another processor rounds otherwise: a
// number may be off by the rtol and atol that the case writes, and one of `same_as`
// without these by what rounding was estimated to explain, or its rounding units
// (Rounding).
// REQUIRES: MayBeListed(result.verdict).
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
  // The first of those with the worst verdict.
  const CaseResult& result() const { return worst_; }
  // How a repetition differs from the first: in its verdict, in an expectation
  // that holds or not, in what came instead. Messages, times and values that
  // break no expectation may differ. Empty when none does.
  const std::string& flicker() const { return flicker_; }

 private:
  Json first_;  // what has to stay the same
  CaseResult worst_;
  std::string flicker_;
  int repetitions_ = 1;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_CASE_RECORD_H_
