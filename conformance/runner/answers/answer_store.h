// Stored answers of an implementation, which can be judged again without
// running it: conformance/answers/<implementation>/<version>.json.
//
//   AnswerStore store = LoadAnswers("conformance/answers/keras/3.15.1.json");
//   store.cases.at("loss/average/sum_over_global_batch").answers;
//
// The key of an answer is the RequestKey of the program that was run: when the
// program of a case changes, its answer no longer applies; when its
// expectations change, it still does. Each case names its recording: which
// versions and which testee answered, when and where.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_ANSWER_STORE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_ANSWER_STORE_H_

#include <map>
#include <string>
#include <vector>

#include "conformance/runner/testee.h"
#include "conformance/runner/text/json_file.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// The origin of answers. For a testee that is not in testees.json only date and
// machine are known.
struct Provenance {
  std::string date = {};     // "2026-11-26T16:50:00Z"
  std::string machine = {};  // "2 x AMD EPYC"
  // The pinned packages of the framework: {"torch": "2.15.0"}.
  std::map<std::string, std::string> packages = {};
  // Hashes of the testee's source, without comments and formatting: of the code
  // that every answer depends on, and of each step.
  std::string program = {};
  std::map<std::string, std::string> steps = {};

  bool operator==(const Provenance&) const = default;
};

// {"date", "machine", "packages", "program", "steps"}; a field may be missing.
// Errors: InvalidArgument with file and JSON path.
Provenance ReadProvenance(const JsonCursor& cursor);

// Where a training first differed from the run that it was compared with
// (Finding::first_difference), by the key of the judged run, then by
// observation. The programs that were run to find it are not stored.
using FirstDifferences =
    std::map<std::string, std::map<std::string, std::string>>;

struct StoredCase {
  size_t recording = 0;  // an index of AnswerStore::recordings
  AnswersByKey answers = {};
  FirstDifferences first_differences = {};
};

struct AnswerStore {
  TesteeDeclaration declaration;
  std::vector<Provenance> recordings = {};
  std::map<std::string, StoredCase> cases = {};  // by their ids

  // The origin of the case's answers. REQUIRES: the store has the case.
  const Provenance& ProvenanceOf(const std::string& case_id) const {
    return recordings[cases.at(case_id).recording];
  }
};

// Errors: NotFound; InvalidArgument with file and JSON path.
AnswerStore LoadAnswers(const std::string& path);

// The text of the file: one line per case, so that diffs are readable. Equal
// answers of a case, and equal unsupported steps of the file, are written once.
// Error messages are shortened by PortableMessage.
std::string AnswersToText(const AnswerStore& store);

// Shortens a message of another machine: keeps 300 bytes, and the last part of
// each path.
//
//   PortableMessage("no file /tmp/run-x1/a/model.index")
//   // "no file .../model.index"
std::string PortableMessage(const std::string& message);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_ANSWER_STORE_H_
