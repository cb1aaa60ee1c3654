// Judges the stored answers of an implementation, without running it.
//
//   const JudgedAnswers judged =
//       JudgeAnswers(cases, store, dialect, ProvenanceNow("keras"));
//   judged.results;       // the same as of a live run
//   judged.not_answered;  // {"a/b/c": "the case changed"}
//   judged.outdated;      // {"a/b/d": "the testee's step train.epoch changed"}
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_JUDGE_ANSWERS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_JUDGE_ANSWERS_H_

#include <map>
#include <string>
#include <vector>

#include "conformance/runner/answers/answer_store.h"
#include "conformance/runner/cases/case.h"

namespace lockstep {

// Case id -> reason.
using ReasonsByCase = std::map<std::string, std::string>;

struct JudgedAnswers {
  std::vector<CaseResult> results;  // in the order of the cases
  // Cases without a result: an answer that judging needs is not stored.
  ReasonsByCase not_answered;
  // Cases whose answers come from another testee or other versions than
  // today's.
  ReasonsByCase outdated;
};

// `now` describes the testee of today. If it is empty, nothing is outdated.
// REQUIRES: the cases outlive the results.
JudgedAnswers JudgeAnswers(const std::vector<const Case*>& cases,
                           const AnswerStore& store, const Dialect& dialect,
                           const Provenance& now = {});

// Why the case's answers are outdated; empty if they are current, or if that is
// unknown. REQUIRES: the store has the case.
std::string WhyOutdated(const Case& conformance_case, const AnswerStore& store,
                        const Provenance& now);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_JUDGE_ANSWERS_H_
