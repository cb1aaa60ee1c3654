// What a run found out about one case, over all repetitions.
//
//   CaseRecord record(RunCase(...));
//   record.Add(RunCase(...));
//   record.flicker();    // "repetition 2 differs from the first: ..."
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_CASE_RECORD_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_CASE_RECORD_H_

#include <string>

#include "conformance/runner/verdict.h"

namespace lockstep {

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
