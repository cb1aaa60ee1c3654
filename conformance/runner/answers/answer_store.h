// What an implementation answered, kept so that it can be judged again without
// it: conformance/answers/<implementation>/<version>.json.
//
//   AnswerStore store = LoadAnswers("conformance/answers/keras/3.15.1.json");
//   store.cases.at("loss/average/sum_over_global_batch").answers;
//
// An answer stands under the key of what was asked (RequestKey): a case whose
// program changes has none any more, one whose expectations change keeps it.
// Each case names the recording in which it was asked, and that says of which
// versions, by which testee, when and where.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_ANSWER_STORE_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_ANSWER_STORE_H_

#include <map>
#include <string>
#include <vector>

#include "conformance/runner/testee.h"
#include "conformance/runner/text/json_file.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// Where answers come from. Of a testee without a name only date and machine are
// known.
struct Provenance {
  std::string date = {};     // "2026-11-26T16:50:00Z"
  std::string machine = {};  // "2 x AMD EPYC"
  // The pinned packages that it is made of: {"torch": "2.15.0"}.
  std::map<std::string, std::string> packages = {};
  // Hashes of the testee's source, by what it does: comments and formatting do
  // not count. Of what is behind every answer, and of each step.
  std::string program = {};
  std::map<std::string, std::string> steps = {};

  bool operator==(const Provenance&) const = default;
};

// {"date", "machine", "packages", "program", "steps"}; a field may be missing.
// Errors: InvalidArgument with file and JSON path.
Provenance ReadProvenance(const JsonCursor& cursor);

// Where a training first left the run that it was compared with, in words
// (Finding::first_difference): by the key of the judged run, then by what was
// observed. The programs that were asked to find it are not kept.
using FirstDifferences =
    std::map<std::string, std::map<std::string, std::string>>;

struct StoredCase {
  size_t recording = 0;  // its place in AnswerStore::recordings
  AnswersByKey answers = {};
  FirstDifferences first_differences = {};
};

struct AnswerStore {
  TesteeDeclaration declaration;
  std::vector<Provenance> recordings = {};
  std::map<std::string, StoredCase> cases = {};  // by their ids

  // Where the case's answers come from. REQUIRES: it has some.
  const Provenance& ProvenanceOf(const std::string& case_id) const {
    return recordings[cases.at(case_id).recording];
  }
};

// Errors: NotFound; InvalidArgument with file and JSON path.
AnswerStore LoadAnswers(const std::string& path);

// The file's text: a line a case, so that a change shows as one. What several
// programs of a case were answered alike, and what many cases lack, stands once.
// Messages of errors are cut, and paths in them keep their last part only.
std::string AnswersToText(const AnswerStore& store);

// What a person needs of a message that another machine wrote: 300 bytes of it,
// of each path the last part.
//
//   PortableMessage("no file /tmp/run-x1/a/model.index")
//   // "no file .../model.index"
std::string PortableMessage(const std::string& message);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_ANSWERS_ANSWER_STORE_H_
