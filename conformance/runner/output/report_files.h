// Writes the results of a run to files.
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

// The results as Markdown, for instance for a build server: what is not as
// expected, a table of topics by verdict, then each case that did not pass,
// with an explanation if it is unexpected, else with the listed reason.
// Unlisted unsupported cases are grouped by step.
std::string ToMarkdown(const SuiteResult& suite, const Sources& sources);

// An empty path: that file is not written.
struct ReportPaths {
  std::string json = {};
  std::string junit = {};
  std::string markdown = {};
  std::string deviations = {};  // the list that --update writes
  std::string answers = {};     // the stored answers
};

// Errors: those of AtomicFile.
class ReportFiles {
 public:
  // Errors: InvalidArgument if two paths name the same file.
  explicit ReportFiles(const ReportPaths& paths);

  // Writes JSON, JUnit and Markdown, if requested. REQUIRES: called once.
  void Write(const SuiteResult& suite, const Sources& sources);

  // Writes the list of deviations. REQUIRES: it has a path; called once.
  void WriteDeviations(const std::string& text);

  // Writes the stored answers. REQUIRES: they have a path; called once.
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
