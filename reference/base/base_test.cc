#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/base/json.h"
#include "reference/base/random.h"
#include "reference/base/signals/held_signals.h"
#include "reference/base/trace.h"
#include "reference/base/trace_events.h"

namespace lockstep {
namespace {

TEST(ErrorTest, MakersFillInCodeAndMessage) {
  const Error error = InvalidArgument("[Rebatch] got {}, wanted {}", 0, "one");
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_STREQ(error.what(), "[Rebatch] got 0, wanted one");
}

TEST(ErrorTest, EveryCodeHasAMakerAndAName) {
  const std::vector<std::pair<Error, std::string>> errors = {
      {InvalidArgument("x"), "InvalidArgument"},
      {OutOfRange("x"), "OutOfRange"},
      {FailedPrecondition("x"), "FailedPrecondition"},
      {NotFound("x"), "NotFound"},
      {DataLoss("x"), "DataLoss"},
      {Unavailable("x"), "Unavailable"},
      {DeadlineExceeded("x"), "DeadlineExceeded"},
      {Unimplemented("x"), "Unimplemented"},
      {ResourceExhausted("x"), "ResourceExhausted"},
      {Cancelled("x"), "Cancelled"},
      {Unauthenticated("x"), "Unauthenticated"},
      {Internal("x"), "Internal"}};
  for (size_t i = 0; i < errors.size(); ++i) {
    EXPECT_EQ(CodeName(errors[i].first.code()), errors[i].second);
    EXPECT_EQ(static_cast<size_t>(errors[i].first.code()), i);
  }
}

TEST(ErrorTest, IsAStandardException) {
  try {
    throw NotFound("[FindDevice] no device {}", "CPU:7");
  } catch (const std::exception& error) {
    EXPECT_STREQ(error.what(), "[FindDevice] no device CPU:7");
  }
}

TEST(CheckTest, TrueConditionDoesNothing) {
  EXPECT_NO_THROW(LOCKSTEP_CHECK(1 + 1 == 2));
}

TEST(CheckTest, FailureNamesConditionAndPlace) {
  const int got = 3;
  try {
    LOCKSTEP_CHECK(got == 2);
    FAIL() << "a broken invariant passed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInternal);
    const std::string message = error.what();
    EXPECT_NE(message.find("got == 2"), std::string::npos) << message;
    EXPECT_NE(message.find("base_test.cc:"), std::string::npos) << message;
  }
}

TEST(CheckTest, EvaluatesTheConditionOnce) {
  int evaluations = 0;
  LOCKSTEP_CHECK(++evaluations > 0);
  EXPECT_EQ(evaluations, 1);
}

TEST(CheckTest, IsOneStatement) {
  bool reached = false;
  if (reached)
    LOCKSTEP_CHECK(false);
  else
    reached = true;
  EXPECT_TRUE(reached);
}

TEST(SystemErrorTest, HasTheSystemsMessage) {
  const Error error = SystemError(ENOENT, "[Open] cannot open {}", "a");
  EXPECT_STREQ(error.what(), "[Open] cannot open a: No such file or directory");
}

TEST(SystemErrorTest, ChoosesTheCode) {
  EXPECT_EQ(SystemError(ENOENT, "x").code(), Code::kNotFound);
  for (const int number : {ENOSPC, EDQUOT, EFBIG}) {
    EXPECT_EQ(SystemError(number, "x").code(), Code::kResourceExhausted);
  }
  for (const int number : {EACCES, EROFS, EIO, EISDIR, ENOTDIR}) {
    EXPECT_EQ(SystemError(number, "x").code(), Code::kUnavailable);
  }
}

std::string TestPath(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / name;
}

TEST(JsonTest, ParsesAndKeepsTheOrderOfKeys) {
  const Json value = ParseJson(R"({"b": [1, 2.5], "a": null})", "here");
  EXPECT_EQ(value["b"][1], 2.5);
  EXPECT_EQ(value.dump(), R"({"b":[1,2.5],"a":null})");
}

TEST(JsonTest, NamesThePlaceOfMalformedText) {
  try {
    ParseJson("{\"a\": 1,\n  oops}", "case.json");
    FAIL() << "malformed text was parsed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    const std::string message = error.what();
    EXPECT_NE(message.find("case.json"), std::string::npos) << message;
    EXPECT_NE(message.find("line 2, column 3"), std::string::npos) << message;
  }
}

// The error for `text`, or "".
std::string Refusal(const std::string& text, int deepest = kDeepestJson) {
  try {
    ParseJson(text, "here", deepest);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    return error.what();
  }
}

TEST(JsonTest, RefusesNumbersBeyondDouble) {
  for (const char* number : {"1e400", "[-1e400]", "{\"x\": 1e400}"}) {
    const std::string refusal = Refusal(number);
    EXPECT_EQ(refusal.find("[ParseJson] here is not JSON: "), 0u) << refusal;
    EXPECT_NE(refusal.find("1e400"), std::string::npos) << refusal;
  }
  EXPECT_EQ(Refusal("[1.7e308, 1e-400, 18446744073709551616]"), "");
}

TEST(JsonTest, RefusesDuplicateFields) {
  EXPECT_EQ(Refusal(R"([{"a": {"b": 1, "c": 2, "b": 3}}])"),
            "[ParseJson] here: duplicate field 'b'");
  EXPECT_EQ(Refusal(R"({"a": {"a": 1}, "b": {"a": {"a": 1}}})"), "");
}

TEST(JsonTest, DepthIsBounded) {
  const auto lists = [](int levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(Refusal(lists(200)), "");
  EXPECT_EQ(Refusal(lists(201)),
            "[ParseJson] here: nested deeper than 200 levels");
  EXPECT_EQ(Refusal(R"({"a": [1]})", 2), "");
  EXPECT_NE(Refusal(R"({"a": [{}]})", 2), "");
  EXPECT_NE(Refusal(lists(1'000'000)), "");
  EXPECT_NE(Refusal(std::string(1'000'000, '[')), "");
}

TEST(JsonTest, FieldsOfAnObjectAreBounded) {
  const auto object = [](int fields) {
    std::string text = "{\"x\": 0";
    for (int i = 1; i < fields; ++i) {
      text += ", \"x" + std::to_string(i) + "\": 0";
    }
    return text + "}";
  };
  EXPECT_EQ(Refusal("[" + object(1000) + "," + object(1000) + "]"), "");
  EXPECT_EQ(Refusal(object(1001)),
            "[ParseJson] here: an object has more than 1000 fields");
}

TEST(JsonTest, LongMistakesAreShortened) {
  EXPECT_LT(Refusal("\"" + std::string(1'000'000, 'x')).size(), 400u);
}

TEST(JsonTest, AcceptsSigned64BitIntegers) {
  const auto integer = [](const char* text) {
    return IntegerIn(Json::parse(text));
  };
  EXPECT_EQ(integer("-9223372036854775808"),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(integer("9223372036854775807"),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(integer("9223372036854775808"), std::nullopt);
  EXPECT_EQ(integer("18446744073709551615"), std::nullopt);
  EXPECT_EQ(integer("1.0"), std::nullopt);
  EXPECT_EQ(integer("true"), std::nullopt);
}

TEST(JsonTest, ReadsAFile) {
  const std::string path = TestPath("written.json");
  std::ofstream(path) << R"({"x": [1, 2]})";
  EXPECT_EQ(ReadJsonFile(path), (Json{{"x", {1, 2}}}));
}

TEST(JsonTest, MissingFileIsNotFound) {
  try {
    ReadJsonFile(TestPath("missing.json"));
    FAIL() << "read a file that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    EXPECT_NE(std::string(error.what()).find("missing.json"),
              std::string::npos);
  }
}

TEST(JsonTest, NamesTheMalformedFile) {
  const std::string path = TestPath("malformed.json");
  std::ofstream(path) << "[1, 2";
  try {
    ReadJsonFile(path);
    FAIL() << "read a malformed file";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
  }
}

std::vector<uint32_t> Take(Random& random, int count) {
  std::vector<uint32_t> words;
  for (int i = 0; i < count; ++i) words.push_back(random.Next32());
  return words;
}

TEST(RandomTest, KnownAnswerOfTheFirstBlock) {
  // The published known-answer vector of philox4x32-10: key and counter zero.
  Random random(0);
  EXPECT_EQ(Take(random, 4), (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d,
                                                    0xbc57ac4c, 0x9b00dbd8}));
}

TEST(RandomTest, SeedIsTheKeyAndStreamTheUpperCounter) {
  // Key and upper counter words of the third published vector (digits of pi);
  // the lower counter words, which count blocks, start at 0. Computed with an
  // independent program that reproduces the published vectors.
  Random random(0x299f31d0a4093822, 0x0370734413198a2e);
  EXPECT_EQ(
      Take(random, 8),
      (std::vector<uint32_t>{0xb60a410e, 0x61bd7780, 0xa53f3958, 0x3d51eb3f,
                             0x314ddb4b, 0x0ab83527, 0x9fc3cabe, 0x3fc8cf4c}));
}

TEST(RandomTest, SixtyFourBitsAreTwoWordsLowFirst) {
  Random random(0);
  EXPECT_EQ(random.Next64(), 0xe169c58d6627e8d5);
  EXPECT_EQ(random.Next64(), 0x9b00dbd8bc57ac4c);
}

TEST(RandomTest, FloatsKeepTheUpperBits) {
  Random random(0);
  EXPECT_EQ(random.UniformFloat(), 0x6627e8 * 0x1.0p-24f);
}

TEST(RandomTest, StreamsAndSeedsDiffer) {
  std::set<std::vector<uint32_t>> seen;
  for (uint64_t seed : {0, 1, 2}) {
    for (uint64_t stream : {0, 1, 2}) {
      Random random(seed, stream);
      EXPECT_TRUE(seen.insert(Take(random, 4)).second);
    }
  }
}

TEST(RandomTest, UniformIntReachesAllInRange) {
  Random random(7);
  std::array<int, 6> counts{};
  constexpr int kDraws = 6000;
  for (int i = 0; i < kDraws; ++i) ++counts.at(random.UniformInt(6));
  // Each count is binomial with mean 1000 and deviation 28.9; five of them.
  for (const int count : counts) EXPECT_NEAR(count, 1000, 145);
}

TEST(RandomTest, UniformIntTakes64BitBounds) {
  Random random(7);
  constexpr uint64_t kBound = (uint64_t{1} << 40) + 1;
  bool large = false;
  for (int i = 0; i < 100; ++i) {
    const uint64_t value = random.UniformInt(kBound);
    ASSERT_LT(value, kBound);
    large |= value > UINT32_MAX;
  }
  EXPECT_TRUE(large);
  EXPECT_EQ(random.UniformInt(1), 0u);
  EXPECT_THROW(random.UniformInt(0), Error);
}

TEST(TraceTest, SpansNest) {
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

TEST(TraceTest, RecordsNothingWithoutAScope) {
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

TEST(TraceTest, ScopeIsForItsThreadOnly) {
  TraceTrack track;
  TraceScope scope(&track);
  TraceTrack* elsewhere = &track;
  std::thread([&] { elsewhere = TraceTrack::Current(); }).join();
  EXPECT_EQ(elsewhere, nullptr);
  EXPECT_EQ(TraceTrack::Current(), &track);
}

TEST(TraceTest, ReturnsTheInnermostName) {
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

TEST(TraceTest, KeepsGivenBytes) {
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

// Two tracks that begin 5000 ns and 4000 ns after `zero`.
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

TEST(TraceEventsTest, SpansAreOutermostFirstInMicroseconds) {
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

TEST(TraceEventsTest, WritesEmptyTraces) {
  EXPECT_EQ(ToTraceEvents({})["traceEvents"], Json::array());
}

// A write to a pipe that no process reads.
int ErrorOfAWrite() {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  close(ends[0]);
  const int error = write(ends[1], "x", 1) < 0 ? errno : 0;
  close(ends[1]);
  return error;
}

bool PipeSignalWaits() {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGPIPE) == 1;
}

TEST(HeldSignalsTest, WriteFailsWithoutASignal) {
  {
    const HeldSignals held({SIGXFSZ, SIGPIPE});
    EXPECT_EQ(ErrorOfAWrite(), EPIPE);
    EXPECT_TRUE(PipeSignalWaits());
  }
  EXPECT_FALSE(PipeSignalWaits());
}

TEST(HeldSignalsTest, KeepsEarlierPendingSignals) {
  const HeldSignals outer({SIGPIPE});
  EXPECT_EQ(ErrorOfAWrite(), EPIPE);
  { const HeldSignals inner({SIGPIPE}); }
  EXPECT_TRUE(PipeSignalWaits());
}

}  // namespace
}  // namespace lockstep
