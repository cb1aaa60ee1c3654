#include "conformance/runner/answer.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using std::chrono_literals::operator""ms;

TEST(AnswerTest, IsDescribedInAFewWords) {
  EXPECT_EQ(DescribeAnswer(Observations{}), "the program ran to its end");
  EXPECT_EQ(DescribeAnswer(Failure{"NotFound", "[Open] no file", "data.open"}),
            "NotFound in data.open: [Open] no file");
  EXPECT_EQ(DescribeAnswer(Unsupported{"data.x", "no x here"}),
            "no support for data.x: no x here");
  EXPECT_EQ(DescribeAnswer(TimedOut{1500ms, "busy"}), "no answer in 1.5 s");
  EXPECT_EQ(DescribeAnswer(Crashed{"SIGSEGV", ""}), "crashed by SIGSEGV");
  EXPECT_EQ(DescribeAnswer(ProtocolError{"no JSON", ""}),
            "protocol error: no JSON");
}

TEST(AnswerTest, IsWrittenUnderItsVerdict) {
  EXPECT_EQ(AnswerToJson(Observations{{{"x", 1}}}).dump(),
            R"({"observations":{"x":1}})");
  EXPECT_EQ(
      AnswerToJson(Failure{"NotFound", "no", "data.x"}).dump(),
      R"({"error":{"class":"NotFound","message":"no","at_step":"data.x"}})");
  EXPECT_EQ(AnswerToJson(Unsupported{"data.x", "no x"}).dump(),
            R"({"unsupported":{"step":"data.x","reason":"no x"}})");
  EXPECT_EQ(AnswerToJson(TimedOut{250ms, "busy"}).dump(),
            R"({"timed_out":{"deadline_s":0.25,"stderr":"busy"}})");
  EXPECT_EQ(AnswerToJson(Crashed{"exit status 3", "bye"}).dump(),
            R"({"crashed":{"by":"exit status 3","stderr":"bye"}})");
  EXPECT_EQ(AnswerToJson(ProtocolError{"no JSON", ""}).dump(),
            R"({"protocol_error":{"what":"no JSON","stderr":""}})");
}

TEST(AnswerTest, StderrBelongsToThoseThatFailedToAnswer) {
  EXPECT_EQ(StderrTailOf(TimedOut{1ms, "a"}), "a");
  EXPECT_EQ(StderrTailOf(Crashed{"SIGBUS", "b"}), "b");
  EXPECT_EQ(StderrTailOf(ProtocolError{"no JSON", "c"}), "c");
  EXPECT_EQ(StderrTailOf(Failure{"Internal", "d", "data.x"}), "");
}

}  // namespace
}  // namespace lockstep
