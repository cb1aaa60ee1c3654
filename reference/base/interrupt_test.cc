#include "reference/base/interrupt.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace lockstep {
namespace {

TEST(InterruptTest, NotesTheFirstSignalAndGoesOn) {
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

TEST(InterruptTest, WhatIsIgnoredStaysIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  {
    InterruptScope interrupt;
    std::raise(SIGHUP);
    EXPECT_FALSE(interrupt.requested());
  }
  EXPECT_EQ(std::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

constexpr auto kALittleLater = std::chrono::milliseconds(600);

TEST(InterruptTest, OneThatComesTwiceAtOnceIsOne) {
  InterruptScope interrupt;
  std::raise(SIGTERM);
  std::raise(SIGTERM);
  EXPECT_EQ(interrupt.exit_status(), 128 + SIGTERM);
}

TEST(InterruptTest, AClosingTerminalMaySaySoTwice) {
  InterruptScope interrupt;
  std::raise(SIGHUP);
  std::this_thread::sleep_for(kALittleLater);
  std::raise(SIGHUP);
  EXPECT_EQ(interrupt.exit_status(), 128 + SIGHUP);
}

TEST(InterruptDeathTest, AfterItSignalsDoAsBefore) {
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

}  // namespace
}  // namespace lockstep
