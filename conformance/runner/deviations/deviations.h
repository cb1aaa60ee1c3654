// Where an implementation is known to differ from the cases, and why:
// conformance/deviations/<implementation>.json.
//
//   {"format": 3, "implementation": "keras",
//    "deviations": [{"kind": "defect", "reason": "Each replica clips ...",
//                    "references": ["https://..."],
//                    "script": "conformance/defects/keras/clips.py",
//                    "cases": ["equivalence/clipping/all_weights_have_one_norm"]}],
//    "unsupported": [{"steps": ["file.*", "train.join"], "reference": "https://..."}]}
//
// What came instead is not said here: stored answers hold it.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATIONS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/runner/text/json_file.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// One cause, and all cases that come out otherwise for it.
struct Deviation {
  std::string kind;  // defect, by_design, document_unclear
  std::string reason = {};
  std::vector<std::string> references = {};  // none where the script says all
  std::string script = {};              // its path in the tree; may be empty
  std::vector<std::string> cases = {};  // ids, and patterns with *
  std::string place = {};  // "tensorflow.json at $.deviations[3]", for messages

  // * stands for any characters but a slash.
  bool Matches(const std::string& case_id) const;
};

// Steps that the implementation has not, or not in every way that cases ask for.
// The testee says which and why where a case asks for it.
struct UnsupportedSteps {
  std::vector<std::string> steps;  // "train.join", "file.*"
  std::string reference = {};
  std::string place = {};

  bool Explains(const std::string& step) const;
};

struct Deviations {
  std::string implementation;
  std::vector<Deviation> entries = {};
  std::vector<UnsupportedSteps> unsupported = {};

  // nullptr when no entry matches.
  const Deviation* Find(const std::string& case_id) const;
  // nullptr when nothing says that this step is unsupported.
  const UnsupportedSteps* FindStep(const std::string& step) const;
  // What is known of a case that came out so: its entry, or one of the kind
  // "unsupported" where all that it lacks is known to be.
  std::optional<Deviation> FindFor(const CaseResult& result) const;

  Json ToJson() const;
};

// What a case lacks, each step and reason once, in the order of its runs. Empty
// where its verdict is another. Without a step it is the testee's conventions, or
// its number of workers, that leave nothing to judge: conventions.json says of
// these, and no list has to.
std::vector<Unsupported> LacksOf(const CaseResult& result);

// Errors: NotFound; InvalidArgument with file and JSON path for a missing or
// unknown field, an unknown kind, an entry without cases, an implementation that
// is not the file's name. Empty texts are let through: the comparison with a run
// says where they are missing.
Deviations LoadDeviations(const std::string& path);
// The same of what stands in that file.
Deviations ReadDeviations(const Json& json, const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATIONS_H_
