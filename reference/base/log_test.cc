#include "reference/base/log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace lockstep {
namespace {

using Lines = std::vector<std::string>;

TEST(LogTest, ALineHasLevelAndMessage) {
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

TEST(LogTest, ACaptureEndsWithItsScope) {
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
