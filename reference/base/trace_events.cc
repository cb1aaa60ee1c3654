#include "reference/base/trace_events.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

namespace lockstep {
namespace {

double Microseconds(TraceClock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

TraceClock::time_point FirstStart(const TraceProcess& process) {
  auto first = TraceClock::time_point::max();
  for (const TraceProcess::Track& track : process.tracks) {
    for (const CompletedSpan& span : track.spans) {
      first = std::min(first, span.start);
    }
  }
  return first;
}

Json Metadata(std::string_view what, int pid, int tid, Json arguments) {
  return {{"ph", "M"},
          {"name", what},
          {"pid", pid},
          {"tid", tid},
          {"args", std::move(arguments)}};
}

// "X" is a complete event, with start and duration.
Json ToEvent(const CompletedSpan& span, TraceClock::time_point zero, int pid,
             int tid) {
  Json event = {{"ph", "X"},
                {"name", span.name},
                {"cat", span.category},
                {"pid", pid},
                {"tid", tid},
                {"ts", Microseconds(span.start - zero)},
                {"dur", Microseconds(span.end - span.start)}};
  if (span.bytes) event["args"] = {{"bytes", *span.bytes}};
  return event;
}

void AddTrack(const TraceProcess::Track& track, TraceClock::time_point zero,
              int pid, int tid, Json& events) {
  events.push_back(Metadata("thread_name", pid, tid, {{"name", track.name}}));
  events.push_back(
      Metadata("thread_sort_index", pid, tid, {{"sort_index", tid}}));
  std::vector<CompletedSpan> spans = track.spans;
  std::ranges::stable_sort(spans, [](const auto& a, const auto& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  for (const CompletedSpan& span : spans) {
    events.push_back(ToEvent(span, zero, pid, tid));
  }
}

}  // namespace

Json ToTraceEvents(const std::vector<TraceProcess>& processes) {
  Json events = Json::array();
  int pid = 0;
  for (const TraceProcess& process : processes) {
    ++pid;
    events.push_back(
        Metadata("process_name", pid, 0, {{"name", process.name}}));
    const TraceClock::time_point zero = FirstStart(process);
    int tid = 0;
    for (const TraceProcess::Track& track : process.tracks) {
      AddTrack(track, zero, pid, tid++, events);
    }
  }
  return {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
}

}  // namespace lockstep
