// The files that a run's results go to.
//
//   ReportFiles files({.json = "r.json"});   // fails now, not after the run
//   files.Write(suite, sources);
#ifndef LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_REPORT_FILES_H_
#define LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_REPORT_FILES_H_

#include <optional>
#include <string>

#include "conformance/runner/cases/case.h"
#include "conformance/runner/output/suite_result.h"
#include "reference/base/atomic_file.h"

namespace lockstep {

// The results for people: a step summary of a build server, say.
// What is not as expected, a table of topics by verdict, then each case that
// did not pass: explained where it is unexpected, else with the list's reason.
// Unsupported ones that are not listed stand once for each lack.
std::string ToMarkdown(const SuiteResult& suite, const Sources& sources);

// Empty: not wanted.
struct ReportPaths {
  std::string json = {};
  std::string junit = {};
  std::string markdown = {};
  std::string deviations = {};  // the list that `update` writes anew
  std::string answers = {};     // what the testee said
};

// Errors: those of AtomicFile.
class ReportFiles {
 public:
  // InvalidArgument where two of them are one file.
  explicit ReportFiles(const ReportPaths& paths);

  // JSON, JUnit and Markdown, as far as they are wanted. REQUIRES: called once.
  void Write(const SuiteResult& suite, const Sources& sources);

  // The list of deviations. REQUIRES: it is wanted; called once.
  void WriteDeviations(const std::string& text);

  // What was answered. REQUIRES: it is wanted; called once.
  void WriteAnswers(const std::string& text);

 private:
  std::optional<AtomicFile> json_;
  std::optional<AtomicFile> junit_;
  std::optional<AtomicFile> markdown_;
  std::optional<AtomicFile> deviations_;
  std::optional<AtomicFile> answers_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CONFORMANCE_RUNNER_OUTPUT_REPORT_FILES_H_
