// What //conformance:run is asked for.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_OPTIONS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "conformance/runner/cases/case_selection.h"
#include "conformance/runner/cases/operations.h"

namespace lockstep {

// In place of a file: the testee's newest below conformance/answers/.
inline constexpr const char* kNewestAnswers = "newest";

struct RunOptions {
  std::string program;  // as a person starts it, up to its options
  std::string testee = "reference";
  std::string cases{kBuiltInCases};
  CaseSelection selection;
  std::vector<std::string> enforced;  // levels besides "required"
  std::string json;                   // paths to write to; empty: not
  std::string junit;
  std::string markdown;
  double start_deadline_s = 120;
  double deadline_s = 60;
  std::optional<double> memory_gib;  // none: half of the machine's
  int processes = 500;
  double output_gib = 1;
  int repeat = 1;
  int jobs = 1;        // testees at a time
  bool list = false;   // the ids of the cases, and nothing else
  bool probe = false;  // check its messages, not its answers
  bool update = false;
  // Files of answers, kNewestAnswers for the testee's own; empty: not.
  std::string record;
  std::string judge;
  bool stale = false;  // only what the answers lack, or have of before
  bool verbose = false;
  // Files that people seldom name.
  std::string deviations;  // empty: deviations/<implementation>.json
  std::string sources = "conformance/sources.json";
  std::vector<std::string> operations = DocumentsIn("conformance");
  std::string conventions = "conformance/conventions.json";
  std::string testees = "conformance/testees.json";

  // Some of the built-in cases, or others: not all entries of a list of
  // deviations can match.
  bool OnlyAPart() const {
    return cases != kBuiltInCases || !selection.IsAll() || stale;
  }
};

// Makes `app` read the options, with a help text that shows examples.
void DescribeRunOptions(CLI::App& app, RunOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_OPTIONS_H_
