#include "reference/collectives/barrier.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

// The code of the error of `body`, nullopt if it returned.
std::optional<Code> CodeThrownBy(const std::function<void()>& body) {
  try {
    body();
    return std::nullopt;
  } catch (const Error& error) {
    return error.code();
  }
}

class BarrierTest : public testing::TestWithParam<int> {};

TEST_P(BarrierTest, NoRankPassesBeforeAllHaveArrived) {
  const int ranks = GetParam();
  AbortableBarrier barrier(ranks);
  std::atomic<int> arrivals{0};
  std::atomic<bool> early{false};
  constexpr int kRounds = 200;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&] {
      for (int round = 1; round <= kRounds; ++round) {
        arrivals.fetch_add(1);
        barrier.Arrive();
        if (arrivals.load() < round * ranks) early.store(true);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(early.load());
  EXPECT_EQ(arrivals.load(), kRounds * ranks);
}

TEST_P(BarrierTest, AbortReleasesWaitingRanks) {
  const int ranks = GetParam();
  AbortableBarrier barrier(ranks);
  std::vector<std::optional<Code>> codes(ranks);
  std::vector<std::thread> threads;
  for (int rank = 1; rank < ranks; ++rank) {
    threads.emplace_back(
        [&, rank] { codes[rank] = CodeThrownBy([&] { barrier.Arrive(); }); });
  }
  // Both for ranks that already sleep and for ranks that come later.
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  barrier.Abort();
  for (std::thread& thread : threads) thread.join();
  for (int rank = 1; rank < ranks; ++rank) {
    EXPECT_EQ(codes[rank], Code::kCancelled) << rank;
  }
  EXPECT_EQ(CodeThrownBy([&] { barrier.Arrive(); }), Code::kCancelled);
}

TEST_P(BarrierTest, LeavingWhileOthersWaitIsADisagreement) {
  const int ranks = GetParam();
  for (int round = 0; round < 50; ++round) {
    AbortableBarrier barrier(ranks);
    std::vector<std::optional<Code>> codes(ranks);
    std::vector<std::thread> threads;
    for (int rank = 1; rank < ranks; ++rank) {
      threads.emplace_back(
          [&, rank] { codes[rank] = CodeThrownBy([&] { barrier.Arrive(); }); });
    }
    barrier.Leave();
    for (std::thread& thread : threads) thread.join();
    for (int rank = 1; rank < ranks; ++rank) {
      EXPECT_EQ(codes[rank], Code::kFailedPrecondition) << rank;
    }
  }
}

TEST_P(BarrierTest, IsAsIfNewAfterReset) {
  const int ranks = GetParam();
  AbortableBarrier barrier(ranks);
  barrier.Abort();
  barrier.Reset();
  std::atomic<int> passed{0};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&] {
      barrier.Arrive();
      barrier.Leave();
      passed.fetch_add(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(passed.load(), ranks);
}

TEST_P(BarrierTest, AllMayLeaveAfterAllArrived) {
  const int ranks = GetParam();
  for (int round = 0; round < 100; ++round) {
    AbortableBarrier barrier(ranks);
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&] {
        if (CodeThrownBy([&] { barrier.Arrive(); })) failures.fetch_add(1);
        barrier.Leave();
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures.load(), 0);
  }
}

TEST_P(BarrierTest, ARankThatNeverComesEndsTheOthersWaitAtTheDeadline) {
  const int ranks = GetParam();
  AbortableBarrier barrier(ranks);
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  std::vector<std::optional<Code>> codes(ranks);
  std::vector<std::thread> threads;
  for (int rank = 1; rank < ranks; ++rank) {
    // The last rank has no deadline.
    const Deadline mine = rank == 1 ? deadline : kNoDeadline;
    threads.emplace_back([&, rank, mine] {
      codes[rank] = CodeThrownBy([&] { barrier.Arrive(mine); });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(std::chrono::steady_clock::now(), deadline);
  for (int rank = 1; rank < ranks; ++rank) {
    EXPECT_EQ(codes[rank], Code::kDeadlineExceeded) << rank;
  }
  // The late rank does not wait for those that have left.
  EXPECT_EQ(CodeThrownBy([&] { barrier.Arrive(); }), Code::kDeadlineExceeded);
}

// Either all pass or none does, however close the last arrival is to the
// deadline.
TEST_P(BarrierTest, ADeadlineEndsAllRanksOrNone) {
  const int ranks = GetParam();
  for (int round = 0; round < 50; ++round) {
    AbortableBarrier barrier(ranks);
    const auto deadline = std::chrono::steady_clock::now() +
                          std::chrono::microseconds(10 * round);
    std::atomic<int> passed{0};
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&] {
        const auto code = CodeThrownBy([&] { barrier.Arrive(deadline); });
        if (!code) passed.fetch_add(1);
        EXPECT_EQ(code.value_or(Code::kDeadlineExceeded),
                  Code::kDeadlineExceeded);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(passed == 0 || passed == ranks) << passed;
  }
}

TEST_P(BarrierTest, AnAbortDoesNotStopPass) {
  const int ranks = GetParam();
  for (int round = 0; round < 50; ++round) {
    AbortableBarrier barrier(ranks);
    std::atomic<int> together{0}, through{0};
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&] {
        barrier.Arrive();
        together.fetch_add(1);
        barrier.Pass();
        through.fetch_add(1);
      });
    }
    while (together.load() == 0) std::this_thread::yield();
    barrier.Abort();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(through, ranks);
    EXPECT_EQ(CodeThrownBy([&] { barrier.Arrive(); }), Code::kCancelled);
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, BarrierTest, testing::Values(2, 3, 8));

TEST(BarrierTest, OneRankNeverWaits) {
  AbortableBarrier barrier(1);
  for (int i = 0; i < 3; ++i) barrier.Arrive();
}

TEST(BarrierTest, NeedsARank) {
  EXPECT_EQ(CodeThrownBy([] { AbortableBarrier barrier(0); }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
