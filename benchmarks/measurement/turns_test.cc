#include "benchmarks/measurement/turns.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/measurement/cpu_time.h"
#include "reference/base/error_testing.h"

namespace lockstep::benchmarks {
namespace {

using testing::ElementsAre;
using Clock = std::chrono::steady_clock;

// The other end of the streams.
class TurnsTest : public testing::Test {
 protected:
  TurnsTest() : out_(open_memstream(&text_, &size_)) {
    EXPECT_EQ(pipe2(input_, O_CLOEXEC), 0);
  }
  ~TurnsTest() override {
    std::fclose(out_);
    std::free(text_);
    close(input_[0]);
    if (input_[1] >= 0) close(input_[1]);
  }

  TurnsOptions Options(int steps) const {
    return {.steps = steps, .in = input_[0], .out = out_};
  }
  void Give(const std::string& bytes) const {
    ASSERT_EQ(write(input_[1], bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  void EndInput() {
    close(input_[1]);
    input_[1] = -1;
  }
  // Stops a test that waits for what never comes.
  std::function<bool()> Deadline() const {
    return [this] { return Clock::now() > start_ + std::chrono::seconds(5); };
  }
  std::string Written() const { return {text_, size_}; }
  int LinesWritten() const {
    return static_cast<int>(std::ranges::count(Written(), '\n'));
  }

 private:
  const Clock::time_point start_ = Clock::now();
  int input_[2] = {-1, -1};
  char* text_ = nullptr;
  size_t size_ = 0;
  std::FILE* const out_;
};

TEST_F(TurnsTest, WithoutAnotherProgramItDoesNotWait) {
  Turns turns(Options(0), Deadline());
  EXPECT_TRUE(turns.Begin());
  for (int step = 0; step < 3; ++step) EXPECT_TRUE(turns.StepIsOver());
  EXPECT_TRUE(turns.EpochIsOver());
  EXPECT_EQ(Written(), "");
}

TEST_F(TurnsTest, ATurnEndsAfterItsStepsAndWithTheEpoch) {
  Give("\n\n\n\n\n\n");
  Turns turns(Options(3), Deadline());
  EXPECT_TRUE(turns.Begin());
  EXPECT_EQ(LinesWritten(), 1);
  std::vector<int> lines;  // after each step and after each epoch
  for (const int steps : {7, 6}) {
    for (int step = 0; step < steps; ++step) {
      EXPECT_TRUE(turns.StepIsOver());
      lines.push_back(LinesWritten());
    }
    EXPECT_TRUE(turns.EpochIsOver());
    lines.push_back(LinesWritten());
  }
  EXPECT_THAT(lines, ElementsAre(1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6));
}

TEST_F(TurnsTest, ALineTellsTheProcessorTimeSoFar) {
  Give("yes\nno\n");
  const double before = ProcessCpuSeconds();
  Turns turns(Options(1), Deadline());
  turns.Begin();
  turns.StepIsOver();
  std::istringstream lines(Written());
  std::string first_word, second_word;
  double first = 0;
  double second = 0;
  lines >> first_word >> first >> second_word >> second;
  EXPECT_EQ(first_word + second_word, "turnturn");
  EXPECT_GE(first, before - 1e-6);
  EXPECT_GE(second, first);
  EXPECT_LE(second, ProcessCpuSeconds() + 1e-6);
}

TEST_F(TurnsTest, ItWaitsUntilAWholeLineIsThere) {
  int looks = 0;
  Turns turns(Options(1), [&] {
    ++looks;
    if (looks == 2) Give("half a line");
    if (looks == 4) Give("\n");
    return false;
  });
  EXPECT_TRUE(turns.Begin());
  EXPECT_GE(looks, 4);
}

TEST_F(TurnsTest, AStopEndsTheWait) {
  int looks = 0;
  Turns turns(Options(1), [&] { return ++looks == 3; });
  EXPECT_FALSE(turns.Begin());
  EXPECT_EQ(looks, 3);
}

TEST_F(TurnsTest, AtTheInputsEndItHasTheTurnsThatWereGivenAndNoMore) {
  Give("\n\nhalf a line");
  EndInput();
  Turns turns(Options(1), Deadline());
  EXPECT_TRUE(turns.Begin());
  EXPECT_TRUE(turns.StepIsOver());
  ExpectError([&] { turns.StepIsOver(); }, Code::kCancelled,
              "[Turns] the input ended");
}

TEST_F(TurnsTest, AClosedOutputIsAnError) {
  Give("\n");
  TurnsOptions options = Options(1);
  options.out = std::fopen("/dev/full", "w");
  ASSERT_NE(options.out, nullptr);
  Turns turns(options, Deadline());
  ExpectError([&] { turns.Begin(); }, Code::kResourceExhausted,
              "[Turns] cannot say that a turn is over");
  std::fclose(options.out);
}

TEST_F(TurnsTest, AnInputThatIsNoneIsAnError) {
  TurnsOptions options = Options(1);
  options.in = 1 << 20;
  Turns turns(options, Deadline());
  ExpectError([&] { turns.Begin(); }, Code::kUnavailable,
              "[Turns] cannot read whose turn it is");
}

}  // namespace
}  // namespace lockstep::benchmarks
