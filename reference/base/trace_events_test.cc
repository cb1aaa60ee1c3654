#include "reference/base/trace_events.h"

#include <gtest/gtest.h>

#include <chrono>

namespace lockstep {
namespace {

// Two tracks that begin 5000 ns and 4000 ns behind `zero`.
TraceProcess Example(int64_t zero = 0) {
  const auto at = [=](int64_t nanoseconds) {
    return TraceClock::time_point(std::chrono::nanoseconds(zero + nanoseconds));
  };
  return {
      .name = "2 replicas",
      .tracks = {{"replica 0",
                  {{"conv2d", "layer", at(5000), at(5500)},
                   {"forward", "phase", at(5000), at(7000)}}},
                 {"replica 1",
                  {{"AllReduce", "communication", at(4000), at(4250), 64}}}}};
}

TEST(TraceEventsTest, TracksAreNamedAndNumbered) {
  const Json trace = ToTraceEvents({Example()});
  EXPECT_EQ(trace["displayTimeUnit"], "ms");
  EXPECT_EQ(trace["traceEvents"][0],
            ParseJson(R"({"ph": "M", "name": "process_name", "pid": 1,
                          "tid": 0, "args": {"name": "2 replicas"}})",
                      "expected"));
  EXPECT_EQ(trace["traceEvents"][5],
            ParseJson(R"({"ph": "M", "name": "thread_name", "pid": 1,
                          "tid": 1, "args": {"name": "replica 1"}})",
                      "expected"));
}

TEST(TraceEventsTest, SpansStandOutsideInAndInMicroseconds) {
  const Json events = ToTraceEvents({Example()})["traceEvents"];
  EXPECT_EQ(events[3],
            ParseJson(R"({"ph": "X", "name": "forward", "cat": "phase",
                          "pid": 1, "tid": 0, "ts": 1.0, "dur": 2.0})",
                      "expected"));
  EXPECT_EQ(events[4],
            ParseJson(R"({"ph": "X", "name": "conv2d", "cat": "layer",
                          "pid": 1, "tid": 0, "ts": 1.0, "dur": 0.5})",
                      "expected"));
  EXPECT_EQ(events[7], ParseJson(R"({"ph": "X", "name": "AllReduce",
                          "cat": "communication", "pid": 1, "tid": 1,
                          "ts": 0.0, "dur": 0.25, "args": {"bytes": 64}})",
                                 "expected"));
  EXPECT_EQ(events.size(), 8u);
}

TEST(TraceEventsTest, EachProcessBeginsAtZero) {
  const Json events =
      ToTraceEvents({Example(), Example(70'000)})["traceEvents"];
  EXPECT_EQ(events[8]["pid"], 2);
  EXPECT_EQ(events[15]["ts"], 0.0);
}

TEST(TraceEventsTest, NothingWasTraced) {
  EXPECT_EQ(ToTraceEvents({})["traceEvents"], Json::array());
}

}  // namespace
}  // namespace lockstep
