// Judges what an implementation answered before, without it.
//
//   const JudgedAnswers judged =
//       JudgeAnswers(cases, store, dialect, ProvenanceNow("keras"));
//   judged.results;       // as of a live run
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

// Why, by the cases' ids.
using ReasonsByCase = std::map<std::string, std::string>;

struct JudgedAnswers {
  std::vector<CaseResult> results;  // in the order of the cases
  // Cases without a result: what judging needs was not asked.
  ReasonsByCase not_answered;
  // Cases whose result is of another testee or of other versions than now.
  ReasonsByCase outdated;
};

// `now`: what would answer today, where that is known; else nothing is outdated.
// REQUIRES: the cases outlive the results.
JudgedAnswers JudgeAnswers(const std::vector<const Case*>& cases,
                           const AnswerStore& store, const Dialect& dialect,
                           const Provenance& now = {});

// Why the case's answers are not what would be answered today; empty where they
// are, or where that is not known.
// REQUIRES: the store has the case.
std::string WhyOutdated(const Case& conformance_case, const AnswerStore& store,
                        const Provenance& now);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_JUDGE_ANSWERS_H_
