// Keeps what a run was answered.
//
//   RecordAnswers(suite.records, suite.declaration, provenance, store);
//   file.Append(AnswersToText(store));
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_RECORD_ANSWERS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_RECORD_ANSWERS_H_

#include <set>
#include <string>
#include <vector>

#include "conformance/runner/answers/answer_store.h"
#include "conformance/runner/deviations/case_record.h"

namespace lockstep {

// Each case of `records` has the answers of this run instead of those it had;
// other cases keep theirs. Where the time ran out nothing was said: such a case
// has no answers after it, nor has one that was asked nothing. Recordings that
// no case is of any more go.
void RecordAnswers(const std::vector<CaseRecord>& records,
                   const TesteeDeclaration& declaration,
                   const Provenance& provenance, AnswerStore& store);

// Forgets all cases but these.
void KeepAnswersOf(const std::set<std::string>& case_ids, AnswerStore& store);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_RECORD_ANSWERS_H_
