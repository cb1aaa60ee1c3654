#include "conformance/runner/deviations/instead.h"

#include <gtest/gtest.h>

#include "conformance/runner/deviations/case_testing.h"

namespace lockstep {
namespace {

Json InsteadOf(Answer answer) {
  const Case conformance_case = OneIsOne("a/b/c");
  return WhatCameInstead(ResultOf(conformance_case, std::move(answer)));
}

TEST(InsteadTest, ObservationsThatDiffer) {
  EXPECT_EQ(InsteadOf(Observe({2, 3})),
            Json({{"observations", {{"x", {2, 3}}}}}));
  EXPECT_EQ(InsteadOf(Observations{}),
            Json({{"observations", {{"x", nullptr}}}}));
}

TEST(InsteadTest, ObservationsThatHoldAreLeftOut) {
  Case two = OneIsOne("a/b/c");
  two.expect.push_back(two.expect[0]);
  two.expect[1].observation = "y";
  const Answer answer = Observations{{{"x", 1}, {"y", 2}}};
  EXPECT_EQ(WhatCameInstead(ResultOf(two, answer)),
            Json({{"observations", {{"y", 2}}}}));
}

TEST(InsteadTest, ObservationsOfLevelObservedAreNoPartOfIt) {
  Case two = OneIsOne("a/b/c");
  two.expect.push_back(two.expect[0]);
  two.expect[1].observation = "y";
  two.expect[1].level = Level::kObserved;
  const Answer answer = Observations{{{"x", 2}, {"y", 2}}};
  EXPECT_EQ(WhatCameInstead(ResultOf(two, answer)),
            Json({{"observations", {{"x", 2}}}}));
}

TEST(InsteadTest, OtherAnswersWithoutTheirMessages) {
  EXPECT_EQ(
      InsteadOf(Failure{"InvalidArgument", "at 0x7f", "data.x"}),
      Json({{"error", {{"class", "InvalidArgument"}, {"at_step", "data.x"}}}}));
  EXPECT_EQ(InsteadOf(Unsupported{"data.x", "none"}),
            Json({{"unsupported", {{"step", "data.x"}}}}));
  EXPECT_EQ(InsteadOf(TimedOut{std::chrono::seconds(1), "..."}),
            Json({{"timed_out", true}}));
  EXPECT_EQ(InsteadOf(Crashed{"SIGSEGV", "..."}),
            Json({{"crashed", "SIGSEGV"}}));
  EXPECT_EQ(InsteadOf(ProtocolError{"garbage", ""}),
            Json({{"protocol_error", true}}));
}

TEST(InsteadTest, AProgramThatEndedWellHasAllItObserved) {
  Case wants_error = OneIsOne("a/b/c");
  wants_error.expect[0].relation = Relation::kError;
  wants_error.expect[0].value = "OutOfRange";
  EXPECT_EQ(WhatCameInstead(ResultOf(wants_error, Observe(5))),
            Json({{"observations", {{"x", 5}}}}));
}

TEST(InsteadTest, SeveralReplicaCountsAreToldApart) {
  Case counts = OneIsOne("a/b/c");
  counts.given = {{"strategy", "mirrored"}, {"replicas", {1, 2, 3}}};
  MiniatureTestee testee([](const Request& request) {
    return Observe(request.given["replicas"]);
  });
  EXPECT_EQ(WhatCameInstead(RunCase(counts, testee, {})),
            Json::parse(R"({"replicas": {"2": {"observations": {"x": 2}},
                                         "3": {"observations": {"x": 3}}}})"));
}

TEST(InsteadTest, SameAsTellsWhatWasComparedWith) {
  Case same = OneIsOne("a/b/c");
  same.given = {{"strategy", "mirrored"}, {"replicas", 2}};
  same.expect[0].relation = Relation::kSameAs;
  same.expect[0].other_observation = "x";
  same.expect[0].other_given = {{"replicas", 1}};
  MiniatureTestee testee([](const Request& request) {
    return Observe(request.given["replicas"]);
  });
  EXPECT_EQ(WhatCameInstead(RunCase(same, testee, {})),
            Json::parse(R"({"observations": {"x": 2},
                            "compared_with": {"x": 1}})"));
}

}  // namespace
}  // namespace lockstep
