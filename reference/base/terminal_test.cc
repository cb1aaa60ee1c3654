#include "reference/base/terminal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/log.h"

namespace lockstep {
namespace {

TEST(InterruptTest, RecordsTheFirstSignal) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    InterruptScope interrupt;
    EXPECT_FALSE(interrupt.requested());
    std::raise(signal);
    EXPECT_TRUE(interrupt.requested());
    EXPECT_EQ(interrupt.exit_status(), 128 + signal);
  }
}

TEST(InterruptTest, StartsAfresh) {
  {
    InterruptScope interrupt;
    std::raise(SIGINT);
  }
  EXPECT_FALSE(InterruptScope().requested());
}

TEST(InterruptTest, IgnoredSignalsStayIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  {
    InterruptScope interrupt;
    std::raise(SIGHUP);
    EXPECT_FALSE(interrupt.requested());
  }
  EXPECT_EQ(std::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

constexpr auto kALittleLater = std::chrono::milliseconds(600);

TEST(InterruptTest, CountsImmediateRepeatsOnce) {
  InterruptScope interrupt;
  std::raise(SIGTERM);
  std::raise(SIGTERM);
  EXPECT_EQ(interrupt.exit_status(), 128 + SIGTERM);
}

TEST(InterruptTest, AllowsRepeatedHangups) {
  InterruptScope interrupt;
  std::raise(SIGHUP);
  std::this_thread::sleep_for(kALittleLater);
  std::raise(SIGHUP);
  EXPECT_EQ(interrupt.exit_status(), 128 + SIGHUP);
}

TEST(InterruptDeathTest, RestoresHandlers) {
  EXPECT_EXIT(
      {
        { InterruptScope interrupt; }
        std::raise(SIGHUP);
      },
      testing::KilledBySignal(SIGHUP), "");
}

TEST(InterruptDeathTest, TheSecondSignalEndsTheProgram) {
  EXPECT_EXIT(
      {
        InterruptScope interrupt;
        std::raise(SIGHUP);
        std::this_thread::sleep_for(kALittleLater);
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
  EXPECT_EXIT(
      {
        InterruptScope interrupt;
        std::raise(SIGINT);
        std::this_thread::sleep_for(kALittleLater);
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(ProgressBarTest, ShowsShareRateAndTimeLeft) {
  ProgressBar bar(400, "images", nullptr);
  bar.SetLabel("epoch 1/2");
  bar.Advance(100);
  EXPECT_EQ(bar.Line(2.0),
            "epoch 1/2 [======>                 ]  25%  100/400 images  50/s  "
            "ETA 0:06");
}

TEST(ProgressBarTest, ShowsHoursAndAFullBar) {
  ProgressBar bar(1000, "steps", nullptr);
  bar.Advance(1);
  EXPECT_NE(bar.Line(10).find("ETA 2:46:30"), std::string::npos);
  bar.Advance(999);
  EXPECT_NE(bar.Line(10).find("[========================] 100%"),
            std::string::npos);
}

TEST(ProgressBarTest, ShowsBytesInTheirUnits) {
  ProgressBar bar(26400000, "bytes", nullptr);
  bar.Advance(13200000);
  EXPECT_NE(bar.Line(10).find("13.2 MB/26.4 MB  1.3 MB/s"), std::string::npos)
      << bar.Line(10);
}

TEST(ProgressBarTest, WithoutATotalThereIsNoBar) {
  ProgressBar bar(0, "bytes", nullptr);
  bar.Advance(900);
  EXPECT_EQ(bar.Line(1), "900 B  900 B/s");
}

TEST(ProgressBarTest, ShowsNoTimeLeftAtTheStart) {
  ProgressBar bar(10, "steps", nullptr);
  EXPECT_EQ(bar.Line(0), "[>                       ]   0%  0/10 steps  0/s");
}

TEST(ProgressBarTest, ClearsTheTerminal) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  {
    ProgressBar bar(2, "steps", out);
    bar.Advance(1);
    bar.Advance(1);  // within a tenth of a second: not drawn again
  }
  std::fclose(out);
  const std::string drawn(text, size);
  std::free(text);
  EXPECT_EQ(drawn.find("1/2 steps"), drawn.rfind("/2 steps") - 1);
  EXPECT_TRUE(drawn.ends_with("\r\x1b[K"));
}

using Lines = std::vector<std::string>;

TEST(LogTest, LinesHaveLevelAndMessage) {
  LogCapture capture;
  LogInfo("[Strategy] {} replicas", 2);
  LogWarning("[Shard] {} files left over", 3);
  EXPECT_EQ(capture.lines(),
            (Lines{"I [Strategy] 2 replicas", "W [Shard] 3 files left over"}));
}

TEST(LogTest, GoesToStderrAndNotToStdout) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  LogInfo("hello {}", 1);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "I hello 1\n");
}

TEST(LogTest, CaptureEndsWithItsScope) {
  { LogCapture capture; }
  testing::internal::CaptureStderr();
  LogWarning("after");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "W after\n");
  LogCapture capture;
  EXPECT_EQ(capture.lines(), Lines{});
}

TEST(LogTest, CapturesEveryThread) {
  constexpr int kThreads = 4;
  constexpr int kLines = 50;
  LogCapture capture;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([t] {
        for (int i = 0; i < kLines; ++i) LogInfo("{}.{}", t, i);
      });
    }
  }
  Lines lines = capture.lines();
  ASSERT_EQ(lines.size(), size_t{kThreads * kLines});
  std::ranges::sort(lines);
  EXPECT_TRUE(std::ranges::adjacent_find(lines) == lines.end());
}

}  // namespace
}  // namespace lockstep
