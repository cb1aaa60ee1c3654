// Where an implementation is known to differ from the cases:
// conformance/deviations/<implementation>.json.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATIONS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/runner/deviations/lack.h"
#include "conformance/runner/text/json_file.h"
#include "conformance/runner/verdicts/verdict.h"

namespace lockstep {

struct Deviation {
  std::string id;  // of a case, or a pattern with *
  Verdict verdict = Verdict::kFailed;
  std::string kind;         // defect, by_design, unsupported, document_unclear
  Json observed = nullptr;  // as WhatCameInstead tells it
  std::string reason = {};
  std::string reference = {};
  std::string versions = {};
  std::string repro = {};  // a script below deviations/repro; may be empty
  std::string place = {};  // "tensorflow.json at $.entries[3]", for messages

  bool IsPattern() const { return id.find('*') != std::string::npos; }
  // * stands for any characters but a slash.
  bool Matches(const std::string& case_id) const;
};

struct Deviations {
  std::string implementation;
  std::vector<Deviation> entries = {};
  std::vector<Lack> lacks = {};

  // nullptr when no entry matches.
  const Deviation* Find(const std::string& case_id) const;
  // What is known of a case that came out so: its entry, or one that is made of
  // the lack that explains it.
  std::optional<Deviation> FindFor(const CaseResult& result) const;

  Json ToJson() const;
};

// Errors: NotFound; InvalidArgument with file and JSON path for a missing or
// unknown field, an unknown verdict or kind, a verdict that is no way to differ, an
// implementation that is not the file's name. Empty texts are let through: the
// comparison with a run says where they are missing.
Deviations LoadDeviations(const std::string& path);
// The same of what stands in that file.
Deviations ReadDeviations(const Json& json, const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_DEVIATIONS_DEVIATIONS_H_
