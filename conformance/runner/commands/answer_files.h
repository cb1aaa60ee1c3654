// Where answers are kept, and what would answer today.
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

// The newest file of a testee with a name, in the source tree or among the
// program's own files; empty where there is none.
//
//   NewestAnswers("conformance/answers", "jax");
//   // "conformance/answers/jax/0.10.2.json"
std::string NewestAnswers(const std::string& folder, const std::string& testee);

// The name of a file for what this implementation answers: its first number with
// a point, "0.10.2" of "JAX 0.10.2, optax 0.2.8"; "unversioned" without one.
std::string VersionIn(const std::string& implementation);

// What would answer today, without a date: of a testee with a name in
// testees.json as its files and pins are, of any other the machine alone.
// Errors: Unavailable where the program that finds out fails.
Provenance ProvenanceNow(const std::string& testee);

// Those of the cases that the answers lack, or whose answers are outdated.
std::vector<const Case*> StaleCases(const std::vector<const Case*>& cases,
                                    const AnswerStore& store,
                                    const Dialect& dialect,
                                    const Provenance& now);

// What the cases come to by the answers of a file, to compare a run of
// `declaration` with. Empty where there is no such file, or where it is of another version.
RecordedResults RecordedIn(const std::string& path,
                           const std::vector<const Case*>& cases,
                           const TesteeDeclaration& declaration,
                           const Dialect& dialect);

// An empty store where there is no such file.
AnswerStore LoadAnswersOrNone(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_ANSWER_FILES_H_
