// Stores the answers of a run.
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

// Replaces the answers of each case in `records` by those of this run; other
// cases keep theirs. A case that timed out, or that was not run, has no answers
// afterwards. Recordings that no case uses any more are removed.
void RecordAnswers(const std::vector<CaseRecord>& records,
                   const TesteeDeclaration& declaration,
                   const Provenance& provenance, AnswerStore& store);

// Removes all cases but these.
void KeepAnswersOf(const std::set<std::string>& case_ids, AnswerStore& store);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_RECORD_ANSWERS_H_
