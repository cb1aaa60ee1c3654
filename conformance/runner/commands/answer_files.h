// The files of stored answers, and the provenance of today's testees.
//
//   conformance/answers/<testee>/<version>.json
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_ANSWER_FILES_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_ANSWER_FILES_H_

#include <string>
#include <vector>

#include "conformance/runner/answers/answer_store.h"
#include "conformance/runner/cases/case.h"
#include "conformance/runner/deviations/deviation_check.h"

namespace lockstep {

// The file with the highest version of a named testee; empty if there is none.
//
//   NewestAnswers("conformance/answers", "jax");
//   // "conformance/answers/jax/0.10.2.json"
std::string NewestAnswers(const std::string& folder, const std::string& testee);

// The name of the file for the answers of an implementation: its first version
// number, "0.10.2" of "JAX 0.10.2, optax 0.2.8", or "unversioned".
std::string VersionIn(const std::string& implementation);

// The provenance of answers recorded now, without a date: for a testee of
// testees.json its sources and pinned packages, for any other only the machine.
// Errors: Unavailable if the program that determines it fails.
Provenance ProvenanceNow(const std::string& testee);

// The cases that have no stored answers, or whose answers are outdated.
std::vector<const Case*> StaleCases(const std::vector<const Case*>& cases,
                                    const AnswerStore& store,
                                    const Dialect& dialect,
                                    const Provenance& now);

// The results of the cases by the answers of a file, to compare a run of
// `declaration` with. Empty if there is no such file, or if it belongs to
// another version.
RecordedResults RecordedIn(const std::string& path,
                           const std::vector<const Case*>& cases,
                           const TesteeDeclaration& declaration,
                           const Dialect& dialect);

// An empty store if there is no such file.
AnswerStore LoadAnswersOrNone(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_ANSWER_FILES_H_
