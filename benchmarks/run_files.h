// The files that a run leaves: its result, a trace where one is wanted, a page.
//
//   RunFiles files(options, "scaling-20260131-120000");   // fails now, not after the run
//   files.KeepSoFar(result);     // after each epoch: what a kill would leave
//   files.WriteAll(program, result, traces);
#ifndef LOCKSTEP_BENCHMARKS_RUN_FILES_H_
#define LOCKSTEP_BENCHMARKS_RUN_FILES_H_

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/output_file.h"
#include "benchmarks/scaling_options.h"
#include "reference/base/json.h"
#include "reference/base/trace_events.h"

namespace lockstep::benchmarks {

class RunFiles {
 public:
  // `stem` is for files that the user has given no name: they go to
  // ResultsFolder(). Errors: those of OutputFile; InvalidArgument where two
  // files would be one.
  RunFiles(const ScalingOptions& options, const std::string& stem);

  // Writes the result, at most once a second, where it is a file. What fails is
  // a warning: the run is not over.
  void KeepSoFar(const Json& result);

  // Writes everything and prints where it is, also what comes behind a file that
  // could not be written. Errors: with the words of all that failed.
  void WriteAll(const std::string& program, const Json& result,
                const std::vector<TraceProcess>& traces);

 private:
  void OpenPage(const ScalingOptions& options, const std::string& stem);

  OutputFile result_;
  std::optional<OutputFile> trace_;
  const bool page_wanted_;
  // None as long as it is to lie beside a result that has no name yet.
  std::optional<OutputFile> page_;
  std::chrono::steady_clock::time_point kept_{};  // last
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_RUN_FILES_H_
