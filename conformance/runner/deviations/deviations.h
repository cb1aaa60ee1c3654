// The known deviations of an implementation from the cases, and their causes:
// conformance/deviations/<implementation>.json.
//
//   {"format": 3, "implementation": "keras",
//    "deviations": [{"kind": "defect", "reason": "Each replica clips ...",
//                    "references": ["https://..."],
//                    "script": "conformance/defects/keras/clips.py",
//                    "cases": ["equivalence/clipping/all_weights_have_one_norm"]}],
//    "unsupported": [{"steps": ["file.*", "train.join"], "reference": "https://..."}]}
//
// The deviating results are not listed here: stored answers have them.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATIONS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/runner/text/json_file.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

// One cause, and all cases that deviate because of it.
struct Deviation {
  std::string kind;  // defect, by_design, document_unclear
  std::string reason = {};
  std::vector<std::string> references = {};  // may be empty with a script
  std::string script = {};              // its path in the tree; may be empty
  std::vector<std::string> cases = {};  // ids, and patterns with *
  std::string place = {};  // "tensorflow.json at $.deviations[3]", for messages

  // * matches any characters but a slash.
  bool Matches(const std::string& case_id) const;
};

// Steps that the implementation does not support, or not with all arguments.
// The testee gives the reason for each case.
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
  // nullptr if this step is not listed as unsupported.
  const UnsupportedSteps* FindStep(const std::string& step) const;
  // The known deviation of a result: the entry of its case, or one of the kind
  // "unsupported" if all its unsupported steps are listed.
  std::optional<Deviation> FindFor(const CaseResult& result) const;

  Json ToJson() const;
};

// The unsupported steps of a result, each with its reason once, in the order of
// the runs. Empty for other verdicts. One without a step means that the
// testee's conventions, or its number of workers, leave nothing to judge; it
// needs no entry in a list.
std::vector<Unsupported> UnsupportedIn(const CaseResult& result);

// Errors: NotFound; InvalidArgument with file and JSON path for a missing or
// unknown field, an unknown kind, an entry without cases, an implementation
// that does not match the name of the file unless it may have `any_name`. Empty
// texts are allowed: FindUnexpected reports them.
Deviations LoadDeviations(const std::string& path, bool any_name = false);
// The same for the content of that file.
Deviations ReadDeviations(const Json& json, const std::string& path,
                          bool any_name = false);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATIONS_H_
