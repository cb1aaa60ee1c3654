// The file that a run's trace will go to.
//
//   TraceFile file("step.json");     // fails now, not after a long run
//   ...
//   file.Write(traces);              // until then there is no such file
#ifndef LOCKSTEP_BENCHMARKS_TRACE_FILE_H_
#define LOCKSTEP_BENCHMARKS_TRACE_FILE_H_

#include <string>
#include <vector>

#include "reference/base/atomic_file.h"
#include "reference/base/trace_events.h"

namespace lockstep::benchmarks {

// Errors of all: those of AtomicFile.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path) : file_(path) {}

  // REQUIRES: called once.
  void Write(const std::vector<TraceProcess>& processes) {
    file_.Append(ToTraceEvents(processes).dump() + "\n");
    file_.Commit();
  }

 private:
  AtomicFile file_;
};

}  // namespace lockstep::benchmarks

#endif  // LOCKSTEP_BENCHMARKS_TRACE_FILE_H_
