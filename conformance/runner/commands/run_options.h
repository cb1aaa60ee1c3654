// The options of //conformance:run.
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_OPTIONS_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "conformance/runner/cases/case_selection.h"
#include "conformance/runner/cases/operations.h"

namespace lockstep {

// In place of a path: the testee's newest file in conformance/answers/.
inline constexpr const char* kNewestAnswers = "newest";

struct RunOptions {
  // The commands of the user, up to the options: this one, and the one that
  // explains a case.
  std::string program;
  std::string explain;
  std::string testee = "reference";
  std::string cases{kBuiltInCases};
  CaseSelection selection;
  std::vector<std::string> enforced;  // levels, in addition to "required"
  std::string json;                   // paths to write to; empty: none
  std::string junit;
  std::string markdown;
  double start_deadline_s = 120;
  double deadline_s = 60;
  std::optional<double> memory_gib;  // none: half of the machine's
  int processes = 500;
  double output_gib = 1;
  int repeat = 1;
  int jobs = 1;        // testees in parallel
  bool list = false;   // only print the ids of the cases
  bool probe = false;  // check messages instead of answers
  bool update = false;
  // Files of answers, or kNewestAnswers; empty: none.
  std::string record;
  std::string judge;
  bool stale = false;  // only cases without a current stored answer
  bool verbose = false;
  // Rarely used paths.
  std::string deviations;  // empty: deviations/<implementation>.json
  std::string sources = "conformance/sources.json";
  std::vector<std::string> operations = DocumentsIn("conformance");
  std::string conventions = "conformance/conventions.json";
  std::string testees = "conformance/testees.json";

  // Whether not all built-in cases run, so that entries of a list of deviations
  // may match no case.
  bool IsPartial() const {
    return cases != kBuiltInCases || !selection.IsAll() || stale;
  }
};

// Makes `app` read the options, with a help text that shows examples.
void DescribeRunOptions(CLI::App& app, RunOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_COMMANDS_RUN_OPTIONS_H_
