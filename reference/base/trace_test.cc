#include "reference/base/trace.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "reference/base/trace_events.h"

namespace lockstep {
namespace {

TEST(TraceTest, SpansEndInsideOutAndLieWithinEachOther) {
  TraceTrack track;
  {
    TraceScope scope(&track);
    TraceSpan outer("step", "phase");
    { TraceSpan first("conv2d", "layer"); }
    { TraceSpan second("dense", "layer"); }
  }
  ASSERT_EQ(track.spans().size(), 3u);
  const CompletedSpan& first = track.spans()[0];
  const CompletedSpan& second = track.spans()[1];
  const CompletedSpan& outer = track.spans()[2];
  EXPECT_EQ(first.name, "conv2d");
  EXPECT_EQ(first.category, "layer");
  EXPECT_EQ(second.name, "dense");
  EXPECT_EQ(outer.name, "step");
  EXPECT_LE(outer.start, first.start);
  EXPECT_LE(first.start, first.end);
  EXPECT_LE(first.end, second.start);
  EXPECT_LE(second.end, outer.end);
}

TEST(TraceTest, NothingIsKeptWhereNobodyAsks) {
  TraceTrack track;
  {
    TraceScope scope(&track);
    TraceScope nowhere(nullptr);
    TraceSpan span("conv2d", "layer");
    EXPECT_FALSE(span.wanted());
  }
  EXPECT_TRUE(track.spans().empty());
  EXPECT_EQ(TraceTrack::Current(), nullptr);
}

TEST(TraceTest, AScopeIsForItsThreadAlone) {
  TraceTrack track;
  TraceScope scope(&track);
  TraceTrack* elsewhere = &track;
  std::thread([&] { elsewhere = TraceTrack::Current(); }).join();
  EXPECT_EQ(elsewhere, nullptr);
  EXPECT_EQ(TraceTrack::Current(), &track);
}

TEST(TraceTest, TellsTheInnermostName) {
  TraceTrack track;
  TraceScope scope(&track);
  EXPECT_EQ(track.innermost(), "");
  TraceSpan outer("model", "layer");
  {
    TraceSpan inner("dense", "layer");
    EXPECT_EQ(track.innermost(), "dense");
  }
  EXPECT_EQ(track.innermost(), "model");
}

TEST(TraceTest, KeepsBytesWhereTheyWereGiven) {
  TraceTrack track;
  {
    TraceScope scope(&track);
    TraceSpan plain("Read", "io");
    TraceSpan sized("AllReduce", "communication");
    ASSERT_TRUE(sized.wanted());
    sized.set_bytes(48);
  }
  EXPECT_EQ(track.spans()[0].bytes, 48);
  EXPECT_EQ(track.spans()[1].bytes, std::nullopt);
}

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
