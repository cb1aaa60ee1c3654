#include "reference/collectives/rendezvous.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

namespace lockstep {
namespace {

// What `body` threw, nullopt when it returned.
std::optional<Code> CodeOf(const std::function<void()>& body) {
  try {
    body();
    return std::nullopt;
  } catch (const Error& error) {
    return error.code();
  }
}

class RendezvousTest : public testing::TestWithParam<int> {};

TEST_P(RendezvousTest, NobodyPassesBeforeAllHaveArrived) {
  const int ranks = GetParam();
  Rendezvous rendezvous(ranks);
  std::atomic<int> arrivals{0};
  std::atomic<bool> early{false};
  constexpr int kRounds = 200;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&] {
      for (int round = 1; round <= kRounds; ++round) {
        arrivals.fetch_add(1);
        rendezvous.Arrive();
        if (arrivals.load() < round * ranks) early.store(true);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(early.load());
  EXPECT_EQ(arrivals.load(), kRounds * ranks);
}

TEST_P(RendezvousTest, AbortReleasesWhoeverWaits) {
  const int ranks = GetParam();
  Rendezvous rendezvous(ranks);
  std::vector<std::optional<Code>> codes(ranks);
  std::vector<std::thread> threads;
  for (int rank = 1; rank < ranks; ++rank) {
    threads.emplace_back(
        [&, rank] { codes[rank] = CodeOf([&] { rendezvous.Arrive(); }); });
  }
  // Both for ranks that sleep already and for ranks that come later.
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  rendezvous.Abort();
  for (std::thread& thread : threads) thread.join();
  for (int rank = 1; rank < ranks; ++rank) {
    EXPECT_EQ(codes[rank], Code::kCancelled) << rank;
  }
  EXPECT_EQ(CodeOf([&] { rendezvous.Arrive(); }), Code::kCancelled);
}

TEST_P(RendezvousTest, LeavingWhileOthersWaitIsADisagreement) {
  const int ranks = GetParam();
  for (int round = 0; round < 50; ++round) {
    Rendezvous rendezvous(ranks);
    std::vector<std::optional<Code>> codes(ranks);
    std::vector<std::thread> threads;
    for (int rank = 1; rank < ranks; ++rank) {
      threads.emplace_back(
          [&, rank] { codes[rank] = CodeOf([&] { rendezvous.Arrive(); }); });
    }
    rendezvous.Leave();
    for (std::thread& thread : threads) thread.join();
    for (int rank = 1; rank < ranks; ++rank) {
      EXPECT_EQ(codes[rank], Code::kFailedPrecondition) << rank;
    }
  }
}

TEST_P(RendezvousTest, IsAsNewAfterReset) {
  const int ranks = GetParam();
  Rendezvous rendezvous(ranks);
  rendezvous.Abort();
  rendezvous.Reset();
  std::atomic<int> passed{0};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&] {
      rendezvous.Arrive();
      rendezvous.Leave();
      passed.fetch_add(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(passed.load(), ranks);
}

TEST_P(RendezvousTest, AllMayLeaveAfterAMeeting) {
  const int ranks = GetParam();
  for (int round = 0; round < 100; ++round) {
    Rendezvous rendezvous(ranks);
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&] {
        if (CodeOf([&] { rendezvous.Arrive(); })) failures.fetch_add(1);
        rendezvous.Leave();
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures.load(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, RendezvousTest, testing::Values(2, 3, 8));

TEST(RendezvousTest, OneRankNeverWaits) {
  Rendezvous rendezvous(1);
  for (int i = 0; i < 3; ++i) rendezvous.Arrive();
}

TEST(RendezvousTest, NeedsARank) {
  EXPECT_EQ(CodeOf([] { Rendezvous rendezvous(0); }), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
