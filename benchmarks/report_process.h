// Starts the report program of //reports on a result.
//
// benchmarks/ links nothing of reports/: a separate process makes the page
// from the result's JSON.
#ifndef LOCKSTEP_BENCHMARKS_REPORT_PROCESS_H_
#define LOCKSTEP_BENCHMARKS_REPORT_PROCESS_H_

#include <string>

namespace lockstep::benchmarks {

// The page about `result` (a result file's content, called `name` on the page),
// by the report program found in the runfiles of `program` (argv[0]).
// Errors: NotFound when the report program is not there; Unavailable with its
// exit status when it fails (it has said why on stderr).
std::string MakePerformanceReport(const std::string& program,
                                  const std::string& result,
                                  const std::string& name);

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_REPORT_PROCESS_H_
