#include "reference/base/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>

namespace lockstep {
namespace {

TEST(InterruptTest, NotesTheFirstSignalAndGoesOn) {
  for (int signal : {SIGINT, SIGTERM}) {
    InterruptScope interrupt;
    EXPECT_FALSE(interrupt.requested());
    std::raise(signal);
    EXPECT_TRUE(interrupt.requested());
  }
}

TEST(InterruptTest, StartsAfresh) {
  {
    InterruptScope interrupt;
    std::raise(SIGINT);
  }
  EXPECT_FALSE(InterruptScope().requested());
}

TEST(InterruptDeathTest, TheSecondSignalEndsTheProgram) {
  EXPECT_EXIT(
      {
        InterruptScope interrupt;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace lockstep
