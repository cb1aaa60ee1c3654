#include "reference/device/clock_reading.h"

#include <gtest/gtest.h>

#include <array>

namespace lockstep {
namespace {

using std::chrono::microseconds;

TEST(ClockReadingTest, TheShortestWaitCounts) {
  // The first is that of a cold queue.
  constexpr std::array<int, ClockReading::kAttempts> kWaits = {900, 8, 6, 20,
                                                               6};
  ClockReading::Clock::time_point now;
  const ClockReading reading =
      ReadClock([&](int attempt) { now += microseconds(kWaits[attempt]); },
                [&] { return now; });
  EXPECT_EQ(reading.attempt, 2);
  EXPECT_EQ(reading.wait, microseconds(6));
  EXPECT_EQ(reading.time.time_since_epoch(), microseconds(900 + 8 + 3));
}

}  // namespace
}  // namespace lockstep
