#include "conformance/runner/pipe/line_channel.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "conformance/runner/pipe/child_process.h"

namespace lockstep {
namespace {

TEST(TextTailTest, KeepsTextThatFits) {
  TextTail tail(8);
  EXPECT_EQ(tail.text(), "");
  tail.Append("one\n");
  tail.Append("two\n");
  EXPECT_EQ(tail.text(), "one\ntwo\n");
}

TEST(TextTailTest, KeepsTheLastWholeLines) {
  TextTail tail(8);
  tail.Append("first\nlast\n");
  EXPECT_EQ(tail.text(), "last\n");
  for (int i = 0; i < 1000; ++i) tail.Append("no\n");
  EXPECT_EQ(tail.text(), "no\nno\n");
}

TEST(TextTailTest, OmitsPartOfALine) {
  TextTail tail(8);
  for (const char* text : {"12345\n", "6789\n", "abcd\n", "e"}) {
    tail.Append(text);
  }
  EXPECT_EQ(tail.text(), "abcd\ne");
}

TEST(TextTailTest, KeepsTheEndOfAnEndlessLine) {
  TextTail tail(8);
  tail.Append("0123456789");
  EXPECT_EQ(tail.text(), "23456789");
  tail.Append("ab");
  EXPECT_EQ(tail.text(), "456789ab");
}

using std::chrono::steady_clock;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

// A shell script and the channel to it.
class LineChannelTest : public testing::Test {
 protected:
  LineChannel& Start(const std::string& script, size_t longest_line = 1 << 20) {
    child_.emplace(std::vector<std::string>{"/bin/sh", "-c", script});
    return channel_.emplace(*child_,
                            LineChannelOptions{.longest_line = longest_line});
  }

  // Never waits that long when all is well.
  ReadLine Read(std::chrono::milliseconds timeout = 60s) {
    return channel_->Read(steady_clock::now() + timeout);
  }

  std::optional<ChildProcess> child_;
  std::optional<LineChannel> channel_;
};

TEST_F(LineChannelTest, ExchangesLines) {
  Start("while read line; do echo \"<$line>\"; done").Send("one");
  EXPECT_EQ(Read().text, "<one>");
  channel_->Send("two");
  const ReadLine read = Read();
  EXPECT_EQ(read.status, LineStatus::kLine);
  EXPECT_EQ(read.text, "<two>");
}

TEST_F(LineChannelTest, SplitsLinesOfOneWrite) {
  Start("printf 'one\\n\\nthree\\nfour'");
  EXPECT_EQ(Read().text, "one");
  EXPECT_EQ(Read().text, "");
  EXPECT_EQ(Read().text, "three");
  const ReadLine rest = Read();
  EXPECT_EQ(rest.status, LineStatus::kClosed);
  EXPECT_EQ(rest.text, "four");
}

TEST_F(LineChannelTest, JoinsPiecesOfALine) {
  Start("printf one; read line; echo two").Send("go on");
  EXPECT_EQ(Read().text, "onetwo");
}

TEST_F(LineChannelTest, DeadlineAppliesToHalfALine) {
  Start("printf half; read line; echo whole");
  const auto start = steady_clock::now();
  EXPECT_EQ(Read(30ms).status, LineStatus::kDeadline);
  EXPECT_GE(steady_clock::now() - start, 30ms);
  channel_->Send("");
  EXPECT_EQ(Read().text, "halfwhole");
}

TEST_F(LineChannelTest, DeadlineAppliesWithEndlessStderr) {
  Start("while true; do echo busy >&2; done");
  EXPECT_EQ(Read(50ms).status, LineStatus::kDeadline);
}

TEST_F(LineChannelTest, LimitsLineLength) {
  Start("echo 12345678; echo 123456789; echo 1", 8);
  EXPECT_EQ(Read().text, "12345678");
  EXPECT_EQ(Read().status, LineStatus::kTooLong);
  EXPECT_EQ(Read().status, LineStatus::kTooLong);
}

TEST_F(LineChannelTest, EndlessLineIsTooLong) {
  Start("exec tr '\\0' x < /dev/zero");
  EXPECT_EQ(Read().status, LineStatus::kTooLong);
}

TEST_F(LineChannelTest, DoesNotBlockOnFullPipes) {
  // Reads nothing before its own output is read.
  Start(
      "head -c 500000 /dev/zero | tr '\\0' x; echo; head -c 500000 /dev/zero "
      "| tr '\\0' y >&2; read line; echo ${#line}",
      1 << 20);
  channel_->Send(std::string(300000, 'z'));
  EXPECT_EQ(Read().text.size(), 500000u);
  EXPECT_EQ(Read().text, "300000");
}

TEST_F(LineChannelTest, WritingToClosedPipeIsSafe) {
  Start("exec <&-; echo deaf");
  EXPECT_EQ(Read().text, "deaf");
  channel_->Send("hello?");
  EXPECT_EQ(Read().status, LineStatus::kClosed);
  channel_->Send("hello?");
  EXPECT_EQ(Read().status, LineStatus::kClosed);
}

TEST_F(LineChannelTest, KnowsIfLineWasRead) {
  Start("read line; echo one; read line; echo two; read line; read line");
  channel_->Send("first");
  EXPECT_EQ(Read().text, "one");
  EXPECT_TRUE(channel_->HasReadOfLastLine());
  channel_->Send("second");
  EXPECT_EQ(Read().text, "two");
  EXPECT_TRUE(channel_->HasReadOfLastLine());
}

TEST_F(LineChannelTest, UnreadLineIsKnown) {
  Start("read line; echo one; exec 1>&-; sleep 0.05").Send("first");
  EXPECT_EQ(Read().text, "one");
  channel_->Send("second");
  EXPECT_EQ(Read().status, LineStatus::kClosed);
  child_->Wait(60s);
  EXPECT_FALSE(channel_->HasReadOfLastLine());
}

TEST_F(LineChannelTest, KeepsEndOfStderr) {
  Start(
      "i=0; while [ $i -lt 2000 ]; do echo line $i >&2; i=$((i+1)); done;"
      "printf 'gr\\374n\\n' >&2");
  EXPECT_EQ(Read().status, LineStatus::kClosed);
  child_->Wait(60s);
  const std::string tail = channel_->StderrTail();
  EXPECT_TRUE(tail.ends_with("line 1999\ngr\xef\xbf\xbdn\n")) << tail;
  EXPECT_TRUE(tail.starts_with("line 1")) << tail;
  EXPECT_LE(tail.size(), 4100u);
}

TEST_F(LineChannelTest, ReadsOutputAfterTheEnd) {
  Start("echo last words; kill -KILL $$");
  child_->Wait(60s);
  EXPECT_EQ(Read().text, "last words");
  EXPECT_EQ(Read().status, LineStatus::kClosed);
}

}  // namespace
}  // namespace lockstep
