// What is known of a case and each implementation, without running any: the
// lists of deviations, and results that were kept.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_KNOWN_RESULTS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_KNOWN_RESULTS_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/runner/deviations/deviations.h"

namespace lockstep {

struct KnownResult {
  std::string implementation;  // the list's or the result file's name
  // As a kept result says; nullopt when there is none of this case.
  std::optional<std::string> verdict = {};
  std::string version = {};  // "TensorFlow 2.21.0" and the day, of that result
  std::optional<Deviation> deviation = {};
};

// In order of names. `deviations_folder` holds <implementation>.json, as does
// `results_folder` (files of //conformance:run --json); a folder that is not
// there holds none. Errors: InvalidArgument for a malformed file.
std::vector<KnownResult> FindKnownResults(const std::string& case_id,
                                          const std::string& deviations_folder,
                                          const std::string& results_folder);

// A few lines: verdict, what was observed, reason, reference, script.
std::string DescribeKnownResult(const KnownResult& known);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_KNOWN_RESULTS_H_
