#include "benchmarks/workloads/worker_results.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep::benchmarks {
namespace {

// Phases of a step: input, forward, backward, reduce, apply, other.
TrainingResult Measured(PhaseTimes phase_ms, std::vector<double> reduce_ms) {
  TrainingResult result;
  result.phase_ms = phase_ms;
  result.reduce_ms = std::move(reduce_ms);
  return result;
}

TEST(WorkerResultsTest, TheBusiestWorkerGivesThePhasesAndTheLastTheSums) {
  const TrainingResult first =
      Measured({9, 1, 2, 3, 1, 90}, {0.5, 0.25, 1.0 / 3});
  const TrainingResult second =
      Measured({std::nullopt, 2, 4, 1, 1, 0.5}, {1, 0.125, 0.375});
  const std::vector<std::string> texts = {MeasuredText(first),
                                          MeasuredText(second)};
  for (const TrainingResult& mine : {first, second}) {
    const TrainingResult all = OfAllWorkers(mine, texts);
    EXPECT_EQ(all.phase_ms, second.phase_ms);  // 8 ms of work, 7 on the other
    EXPECT_EQ(all.reduce_ms, (std::vector<double>{0.5, 0.125, 1.0 / 3}));
  }
}

TEST(WorkerResultsTest, WorkersThatMeasuredOtherStepsAreAnError) {
  const TrainingResult mine = Measured({}, {1, 2});
  ExpectError(
      [&] {
        OfAllWorkers(mine,
                     {MeasuredText(mine), MeasuredText(Measured({}, {1}))});
      },
      Code::kFailedPrecondition,
      "worker 1 has measured 1 steps, wanted 2 as here");
}

TEST(WorkerResultsTest, WhatIsNoResultIsATypedError) {
  for (const char* text : {"", "{}", R"({"phase_ms": [1], "reduce_ms": []})",
                           R"({"phase_ms": 1, "reduce_ms": "x"})"}) {
    ExpectError([&] { OfAllWorkers({}, {text}); }, Code::kInvalidArgument,
                "what worker 0 says");
  }
  ExpectError([&] { TraceOfAllWorkers("a run", {R"([{"name": 1}])"}); },
              Code::kInvalidArgument, "what worker 0 says");
}

TEST(WorkerResultsTest, TracesStandSideBySideOnOneClock) {
  const TraceClock::time_point start{std::chrono::nanoseconds(1234567890123)};
  const TraceClock::time_point end = start + std::chrono::nanoseconds(7);
  TraceProcess trace{.name = "here", .tracks = {{"replica 0", {}}}};
  trace.tracks[0].spans = {{"step", "step", start, end},
                           {"AllReduce", "communication", start, end, 48}};
  const TraceProcess all =
      TraceOfAllWorkers("a run", {TraceText(trace), TraceText(trace)});
  EXPECT_EQ(all.name, "a run");
  ASSERT_EQ(all.tracks.size(), 2u);
  EXPECT_EQ(all.tracks[0].name, "worker 0, replica 0");
  EXPECT_EQ(all.tracks[1].name, "worker 1, replica 0");
  ASSERT_EQ(all.tracks[1].spans.size(), 2u);
  const CompletedSpan& span = all.tracks[1].spans[1];
  EXPECT_EQ(span.name, "AllReduce");
  EXPECT_EQ(span.category, "communication");
  EXPECT_EQ(span.start, start);
  EXPECT_EQ(span.end, end);
  EXPECT_EQ(span.bytes, 48);
  EXPECT_EQ(all.tracks[1].spans[0].bytes, std::nullopt);
}

}  // namespace
}  // namespace lockstep::benchmarks
