// A trace in Chrome's trace-event format, which ui.perfetto.dev and
// chrome://tracing open.
//
//   TraceProcess run{.name = "2 replicas"};
//   run.tracks = {{"replica 0", track0.spans()},
//                 {"replica 1", track1.spans()}};
//   file << ToTraceEvents({run}).dump();
#ifndef LOCKSTEP_REFERENCE_BASE_TRACE_EVENTS_H_
#define LOCKSTEP_REFERENCE_BASE_TRACE_EVENTS_H_

#include <string>
#include <vector>

#include "reference/base/json.h"
#include "reference/base/trace.h"

namespace lockstep {

struct TraceProcess {
  struct Track {
    std::string name;
    std::vector<CompletedSpan> spans;
  };
  std::string name;
  std::vector<Track> tracks;
};

// Processes are numbered from 1, the tracks of each from 0, in order. Times are
// microseconds since the first span of the process; a span comes before those
// within it.
Json ToTraceEvents(const std::vector<TraceProcess>& processes);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_BASE_TRACE_EVENTS_H_
