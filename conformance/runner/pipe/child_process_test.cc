#include "conformance/runner/pipe/child_process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "conformance/runner/pipe/line_channel.h"
#include "reference/base/error.h"

namespace lockstep {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr auto kLong = 60s;  // never reached

std::vector<std::string> Shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

// What the process writes until its stdout is closed, or until `size` bytes.
std::string ReadOut(const ChildProcess& child, size_t size = -1) {
  std::string text;
  while (text.size() < size) {
    pollfd readable{.fd = child.out(), .events = POLLIN, .revents = 0};
    poll(&readable, 1, -1);
    char buffer[256];
    const ssize_t got = read(child.out(), buffer, sizeof(buffer));
    if (got <= 0) break;
    text.append(buffer, got);
  }
  return text;
}

// A zombie that nobody has reaped yet runs no more.
bool Runs(pid_t process) {
  std::ostringstream text;
  text << std::ifstream("/proc/" + std::to_string(process) + "/stat").rdbuf();
  const size_t name_end = text.str().rfind(')');
  return name_end != std::string::npos && text.str()[name_end + 2] != 'Z';
}

// For what the system does in its own time. False after long enough.
template <typename Condition>
bool Eventually(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

// The numbers of processes that a script prints, one a line.
std::vector<pid_t> Processes(const std::string& lines) {
  std::istringstream stream(lines);
  return {std::istream_iterator<pid_t>(stream), {}};
}

TEST(ChildProcessTest, SpeaksThroughItsPipes) {
  ChildProcess child(Shell("read line; echo got $line; echo oh >&2"));
  ASSERT_EQ(write(child.in(), "it\n", 3), 3);
  EXPECT_EQ(ReadOut(child), "got it\n");
  EXPECT_EQ(child.Wait(kLong), (ProcessEnd{.by_signal = false, .value = 0}));
  char complaint[4] = "";
  EXPECT_EQ(read(child.err(), complaint, 3), 3);
  EXPECT_STREQ(complaint, "oh\n");
}

TEST(ChildProcessTest, TellsHowItEnded) {
  EXPECT_EQ(ChildProcess(Shell("exit 3")).Wait(kLong)->Describe(),
            "exit status 3");
  EXPECT_EQ(ChildProcess(Shell("kill -SEGV $$")).Wait(kLong)->Describe(),
            "SIGSEGV");
}

TEST(ChildProcessTest, DoesNotWaitForWhatLives) {
  ChildProcess child(Shell("read line; exit 5"));
  EXPECT_EQ(child.Wait(1ms), std::nullopt);
  ASSERT_EQ(write(child.in(), "\n", 1), 1);
  EXPECT_EQ(child.Wait(kLong)->value, 5);
  EXPECT_EQ(child.Wait(0ms)->value, 5) << "told again";
}

TEST(ChildProcessTest, AProgramThatIsNotThereIsNotFound) {
  try {
    ChildProcess child({"lockstep-no-such-program"});
    FAIL() << "it started";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    EXPECT_STREQ(error.what(),
                 "[ChildProcess] cannot start lockstep-no-such-program: No "
                 "such file or directory");
  }
}

TEST(ChildProcessTest, InheritsNoOtherDescriptors) {
  ChildProcess first(Shell("read line"));
  const FileDescriptor inheritable(dup(STDERR_FILENO));
  ChildProcess child({"/bin/ls", "/proc/self/fd"});
  EXPECT_EQ(ReadOut(child), "0\n1\n2\n3\n") << "3 is the folder being listed";
}

TEST(ChildProcessTest, ProcessGroupIsItsOwn) {
  ChildProcess child(Shell("echo $$; read line"));
  const std::vector<pid_t> shell = Processes(ReadOut(child, 2));
  ASSERT_EQ(shell.size(), 1u);
  EXPECT_EQ(getpgid(shell[0]), shell[0]);
}

// A child that ignores every polite signal, one in its group and one that left
// it; their numbers.
constexpr const char* kFamily =
    "trap '' TERM INT HUP; echo $$; sleep 1000 & echo $!;"
    "setsid sh -c 'trap \"\" TERM HUP; echo $$; exec >&- 2>&-; sleep 1000' &"
    "wait";

std::vector<pid_t> ReadFamily(const ChildProcess& child) {
  std::string lines;
  while (std::ranges::count(lines, '\n') < 3) lines += ReadOut(child, 1);
  return Processes(lines);
}

bool AnyRuns(const std::vector<pid_t>& family) {
  return std::ranges::any_of(family, Runs);
}

TEST(ChildProcessTest, NothingOfItOutlivesTheObject) {
  std::vector<pid_t> family;
  {
    ChildProcess child(Shell(kFamily));
    family = ReadFamily(child);
    ASSERT_EQ(family.size(), 3u);
    EXPECT_TRUE(std::ranges::all_of(family, Runs));
  }
  EXPECT_FALSE(AnyRuns(family));
}

TEST(ChildProcessTest, ItsGroupEndsWithIt) {
  ChildProcess child(Shell("sleep 1000 & echo $!"));
  const std::vector<pid_t> left = Processes(ReadOut(child));
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(child.Wait(kLong)->value, 0);
  EXPECT_TRUE(Eventually([&] { return !Runs(left[0]); }));
}

// Forks a process that starts the family and tells its numbers; the end of it
// is up to the caller.
struct Runner {
  pid_t process;
  std::vector<pid_t> family;
};

Runner StartRunner() {
  int told[2];
  EXPECT_EQ(pipe(told), 0);
  const pid_t process = fork();
  if (process == 0) {
    ChildProcess child(Shell(kFamily));
    const std::vector<pid_t> family = ReadFamily(child);
    (void)!write(told[1], family.data(), family.size() * sizeof(pid_t));
    pause();
  }
  close(told[1]);
  std::vector<pid_t> family(3);
  EXPECT_EQ(read(told[0], family.data(), 3 * sizeof(pid_t)),
            static_cast<ssize_t>(3 * sizeof(pid_t)));
  close(told[0]);
  EXPECT_TRUE(std::ranges::all_of(family, Runs));
  return {process, family};
}

TEST(ChildProcessTest, NothingOfItOutlivesAKilledRunner) {
  const Runner runner = StartRunner();
  ASSERT_EQ(kill(runner.process, SIGKILL), 0);
  waitpid(runner.process, nullptr, 0);
  EXPECT_TRUE(Eventually([&] { return !AnyRuns(runner.family); }));
}

// The guard of the only child of `runner`: its own only child.
pid_t GuardOf(pid_t runner) {
  const std::string number = std::to_string(runner);
  pid_t guard = 0;
  std::ifstream("/proc/" + number + "/task/" + number + "/children") >> guard;
  return guard;
}

TEST(ChildProcessTest, TheProgramDiesWithItsGuard) {
  const Runner runner = StartRunner();
  const pid_t guard = GuardOf(runner.process);
  ASSERT_GT(guard, 0);
  ASSERT_EQ(kill(guard, SIGKILL), 0);
  EXPECT_TRUE(Eventually([&] { return !Runs(runner.family[0]); }));
  // What the guard would have killed is the test's to clean up.
  for (pid_t process : {runner.family[1], runner.family[2], runner.process}) {
    kill(process, SIGKILL);
  }
  waitpid(runner.process, nullptr, 0);
}

TEST(TextTailTest, KeepsAllThatFits) {
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

TEST(TextTailTest, ShowsNoRestOfALine) {
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
  ReadLine Read(std::chrono::milliseconds patience = 60s) {
    return channel_->Read(steady_clock::now() + patience);
  }

  std::optional<ChildProcess> child_;
  std::optional<LineChannel> channel_;
};

TEST_F(LineChannelTest, LinesGoAndCome) {
  Start("while read line; do echo \"<$line>\"; done").Send("one");
  EXPECT_EQ(Read().text, "<one>");
  channel_->Send("two");
  const ReadLine read = Read();
  EXPECT_EQ(read.status, LineStatus::kLine);
  EXPECT_EQ(read.text, "<two>");
}

TEST_F(LineChannelTest, LinesOfOneWriteComeOneByOne) {
  Start("printf 'one\\n\\nthree\\nfour'");
  EXPECT_EQ(Read().text, "one");
  EXPECT_EQ(Read().text, "");
  EXPECT_EQ(Read().text, "three");
  const ReadLine rest = Read();
  EXPECT_EQ(rest.status, LineStatus::kClosed);
  EXPECT_EQ(rest.text, "four");
}

TEST_F(LineChannelTest, ALineThatComesInPiecesIsOne) {
  Start("printf one; read line; echo two").Send("go on");
  EXPECT_EQ(Read().text, "onetwo");
}

TEST_F(LineChannelTest, TheDeadlineHoldsWhileHalfALineIsThere) {
  Start("printf half; read line; echo whole");
  const auto start = steady_clock::now();
  EXPECT_EQ(Read(30ms).status, LineStatus::kDeadline);
  EXPECT_GE(steady_clock::now() - start, 30ms);
  channel_->Send("");
  EXPECT_EQ(Read().text, "halfwhole");
}

TEST_F(LineChannelTest, TheDeadlineHoldsWhileStderrNeverRests) {
  Start("while true; do echo busy >&2; done");
  EXPECT_EQ(Read(50ms).status, LineStatus::kDeadline);
}

TEST_F(LineChannelTest, TheLongestLinePassesAndNoLonger) {
  Start("echo 12345678; echo 123456789; echo 1", 8);
  EXPECT_EQ(Read().text, "12345678");
  EXPECT_EQ(Read().status, LineStatus::kTooLong);
  EXPECT_EQ(Read().status, LineStatus::kTooLong);
}

TEST_F(LineChannelTest, AnEndlessLineIsTooLong) {
  Start("exec tr '\\0' x < /dev/zero");
  EXPECT_EQ(Read().status, LineStatus::kTooLong);
}

TEST_F(LineChannelTest, BothMayWriteMoreThanThePipesHold) {
  // Reads nothing before all of its own is read.
  Start(
      "head -c 500000 /dev/zero | tr '\\0' x; echo; head -c 500000 /dev/zero "
      "| tr '\\0' y >&2; read line; echo ${#line}",
      1 << 20);
  channel_->Send(std::string(300000, 'z'));
  EXPECT_EQ(Read().text.size(), 500000u);
  EXPECT_EQ(Read().text, "300000");
}

TEST_F(LineChannelTest, WritingToTheDeadHarmsNobody) {
  Start("exec <&-; echo deaf");
  EXPECT_EQ(Read().text, "deaf");
  channel_->Send("hello?");
  EXPECT_EQ(Read().status, LineStatus::kClosed);
  channel_->Send("hello?");
  EXPECT_EQ(Read().status, LineStatus::kClosed);
}

TEST_F(LineChannelTest, KnowsWhetherALineWasRead) {
  Start("read line; echo one; read line; echo two; read line; read line");
  channel_->Send("first");
  EXPECT_EQ(Read().text, "one");
  EXPECT_TRUE(channel_->HasReadOfLastLine());
  channel_->Send("second");
  EXPECT_EQ(Read().text, "two");
  EXPECT_TRUE(channel_->HasReadOfLastLine());
}

TEST_F(LineChannelTest, WhatTheDeadLeftInThePipeIsNotRead) {
  Start("read line; echo one; exec 1>&-; sleep 0.05").Send("first");
  EXPECT_EQ(Read().text, "one");
  channel_->Send("second");
  EXPECT_EQ(Read().status, LineStatus::kClosed);
  child_->Wait(60s);
  EXPECT_FALSE(channel_->HasReadOfLastLine());
}

TEST_F(LineChannelTest, StderrIsKeptFromItsEnd) {
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

TEST_F(LineChannelTest, WhatWasWrittenBeforeTheEndIsRead) {
  Start("echo last words; kill -KILL $$");
  child_->Wait(60s);
  EXPECT_EQ(Read().text, "last words");
  EXPECT_EQ(Read().status, LineStatus::kClosed);
}

}  // namespace
}  // namespace lockstep
