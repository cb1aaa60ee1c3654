#include "reference/collectives/communicator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include "reference/base/trace.h"
#include "reference/collectives/collectives_testing.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/topology.h"

namespace lockstep {
namespace {

// What `body` threw, nullopt when it returned.
std::optional<Code> CodeThrownBy(const std::function<void()>& body) {
  try {
    body();
    return std::nullopt;
  } catch (const Error& error) {
    return error.code();
  }
}

TEST(TopologyTest, OneWorkerHasAllReplicas) {
  const Topology topology = Topology::OneWorker(3);
  EXPECT_EQ(topology.num_workers(), 1);
  EXPECT_EQ(topology.worker(), WorkerId(0));
  EXPECT_TRUE(topology.is_chief());
  EXPECT_EQ(topology.num_replicas_in_sync(), 3);
  EXPECT_EQ(topology.num_local_replicas(), 3);
  for (LocalIndex r(0); r < 3; ++r) {
    EXPECT_EQ(topology.GlobalId(r), ReplicaId(int{r}));
    EXPECT_EQ(topology.FindLocal(ReplicaId(int{r})), r);
  }
}

// Workers with 2, 1 and 3 replicas, seen from the last.
TEST(TopologyTest, ReplicasAreNumberedWorkerByWorker) {
  const Topology topology({2, 1, 3}, WorkerId(2));
  EXPECT_EQ(topology.num_workers(), 3);
  EXPECT_EQ(topology.worker(), WorkerId(2));
  EXPECT_FALSE(topology.is_chief());
  EXPECT_EQ(topology.num_replicas_in_sync(), 6);
  EXPECT_EQ(topology.num_local_replicas(), 3);
  EXPECT_EQ(topology.GlobalId(LocalIndex(0)), ReplicaId(3));
  EXPECT_EQ(topology.GlobalId(LocalIndex(2)), ReplicaId(5));
  const int workers[] = {0, 0, 1, 2, 2, 2};
  for (int id = 0; id < 6; ++id) {
    EXPECT_EQ(topology.WorkerOf(ReplicaId(id)), WorkerId(workers[id])) << id;
  }
  EXPECT_EQ(topology.FindLocal(ReplicaId(2)), std::nullopt);
  EXPECT_EQ(topology.FindLocal(ReplicaId(4)), LocalIndex(1));
}

TEST(TopologyTest, WorkersDifferOnlyInWhichIsHere) {
  const Topology first({2, 2}, WorkerId(0));
  EXPECT_TRUE(first.is_chief());
  EXPECT_EQ(first, Topology({2, 2}, WorkerId(0)));
  EXPECT_NE(first, Topology({2, 2}, WorkerId(1)));
  EXPECT_NE(first, Topology({2, 1}, WorkerId(0)));
}

TEST(TopologyTest, WhatIsNotThereIsTyped) {
  EXPECT_EQ(CodeThrownBy([] { Topology::OneWorker(0); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeThrownBy([] { Topology({}, WorkerId(0)); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeThrownBy([] {
              Topology({1, 0}, WorkerId(0));
            }),
            Code::kInvalidArgument);
  for (const int here : {-1, 2}) {
    EXPECT_EQ(CodeThrownBy([&] {
                Topology({1, 1}, WorkerId(here));
              }),
              Code::kInvalidArgument);
  }
  const Topology topology({2, 1}, WorkerId(0));
  EXPECT_EQ(CodeThrownBy([&] { topology.GlobalId(LocalIndex(2)); }),
            Code::kOutOfRange);
  EXPECT_EQ(CodeThrownBy([&] { topology.FindLocal(ReplicaId(-1)); }),
            Code::kOutOfRange);
  EXPECT_EQ(CodeThrownBy([&] { topology.WorkerOf(ReplicaId(3)); }),
            Code::kOutOfRange);
}

// A replica's name is never taken for a place, nor a place for a name.
static_assert(!std::is_convertible_v<ReplicaId, int>);
static_assert(!std::is_convertible_v<int, ReplicaId>);
static_assert(!std::is_convertible_v<int, LocalIndex>);
static_assert(!std::is_constructible_v<ReplicaId, LocalIndex>);
static_assert(!std::is_constructible_v<LocalIndex, ReplicaId>);

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
    threads.emplace_back([&, rank] {
      codes[rank] = CodeThrownBy([&] { rendezvous.Arrive(); });
    });
  }
  // Both for ranks that sleep already and for ranks that come later.
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  rendezvous.Abort();
  for (std::thread& thread : threads) thread.join();
  for (int rank = 1; rank < ranks; ++rank) {
    EXPECT_EQ(codes[rank], Code::kCancelled) << rank;
  }
  EXPECT_EQ(CodeThrownBy([&] { rendezvous.Arrive(); }), Code::kCancelled);
}

TEST_P(RendezvousTest, LeavingWhileOthersWaitIsADisagreement) {
  const int ranks = GetParam();
  for (int round = 0; round < 50; ++round) {
    Rendezvous rendezvous(ranks);
    std::vector<std::optional<Code>> codes(ranks);
    std::vector<std::thread> threads;
    for (int rank = 1; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        codes[rank] = CodeThrownBy([&] { rendezvous.Arrive(); });
      });
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
        if (CodeThrownBy([&] { rendezvous.Arrive(); })) failures.fetch_add(1);
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
  EXPECT_EQ(CodeThrownBy([] { Rendezvous rendezvous(0); }),
            Code::kInvalidArgument);
}

const SharedMemoryAllReduce kOps;

Tensor Row(std::vector<float> values) { return Tensor::FromVector(values); }

void ExpectNoErrors(const std::vector<std::exception_ptr>& errors) {
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

class CommunicatorTest : public testing::TestWithParam<int> {
 protected:
  const int ranks_ = GetParam();
  Communicator communicator_{ranks_};
};

TEST_P(CommunicatorTest, AllReduceSumsOnEveryRank) {
  // r^2 + 1 on each rank, as the documents' example; 3 ranks give 8.
  float expected = 0;
  for (int r = 0; r < ranks_; ++r) expected += r * r + 1;
  std::vector<std::vector<Tensor>> sums(ranks_), means(ranks_);
  ExpectNoErrors(RunRanks(communicator_, [&](int r) {
    const std::vector<Tensor> mine = {Row({r * r + 1.0f})};
    sums[r] = communicator_.AllReduce(r, kOps, ReduceOp::kSum, mine);
    means[r] = communicator_.AllReduce(r, kOps, ReduceOp::kMean, mine);
  }));
  for (int r = 0; r < ranks_; ++r) {
    EXPECT_EQ(sums[r][0].at<float>(0), expected);
    EXPECT_EQ(means[r][0].at<float>(0), expected / ranks_);
  }
}

TEST_P(CommunicatorTest, ATraceShowsTheBytesOfAnAllReduce) {
  std::vector<TraceTrack> tracks(ranks_);
  ExpectNoErrors(RunRanks(communicator_, [&](int r) {
    const TraceScope scope(&tracks[r]);
    communicator_.AllReduce(r, kOps, ReduceOp::kSum,
                            {Row({1.0f, 2.0f}), Row({3.0f})});
  }));
  for (const TraceTrack& track : tracks) {
    ASSERT_EQ(track.spans().size(), 1u);
    EXPECT_EQ(track.spans()[0].name, "AllReduce");
    EXPECT_EQ(track.spans()[0].bytes, 12);
  }
}

TEST_P(CommunicatorTest, ReduceGivesTheRootAlone) {
  const int root = ranks_ - 1;
  std::vector<Tensor> results(ranks_);
  ExpectNoErrors(RunRanks(communicator_, [&](int r) {
    results[r] =
        communicator_.Reduce(r, ReduceOp::kSum, Row({1.0f, 2.0f}), root);
  }));
  for (int r = 0; r < root; ++r) EXPECT_FALSE(results[r].defined());
  EXPECT_EQ(results[root].ToVector<float>(),
            (std::vector<float>{1.0f * ranks_, 2.0f * ranks_}));
}

TEST_P(CommunicatorTest, BroadcastGivesWhatTheRootHas) {
  for (int root = 0; root < ranks_; ++root) {
    std::vector<Tensor> results(ranks_);
    ExpectNoErrors(RunRanks(communicator_, [&](int r) {
      results[r] =
          communicator_.Broadcast(r, Row({static_cast<float>(r)}), root);
    }));
    for (const Tensor& result : results) {
      EXPECT_EQ(result.at<float>(0), root);
    }
  }
}

TEST_P(CommunicatorTest, ARootThatIsNoRankIsInvalidOnAllAndAllGoOn) {
  for (const int root : {-1, ranks_, 1000}) {
    const auto errors = RunRanks(communicator_, [&](int r) {
      EXPECT_THROW(communicator_.Broadcast(r, Row({1}), root), Error);
      communicator_.Reduce(r, ReduceOp::kSum, Row({1}), root);
    });
    for (const std::exception_ptr& error : errors) {
      EXPECT_EQ(CodeOf(error), Code::kInvalidArgument);
    }
  }
}

TEST_P(CommunicatorTest, AllGatherShowsEverybodysUnevenLists) {
  ExpectNoErrors(RunRanks(communicator_, [&](int r) {
    std::vector<Tensor> mine(r + 1, Row(std::vector<float>(r, r)));
    const auto all = communicator_.AllGather(r, mine);
    ASSERT_EQ(static_cast<int>(all.size()), ranks_);
    for (int other = 0; other < ranks_; ++other) {
      ASSERT_EQ(static_cast<int>(all[other].size()), other + 1);
      ASSERT_EQ(all[other][0].ToVector<float>(),
                std::vector<float>(other, other));
    }
  }));
}

TEST_P(CommunicatorTest, MergeRunsOnceWithEverybodysArgument) {
  int runs = 0;
  int sum = 0;
  std::vector<int> seen(ranks_);
  ExpectNoErrors(RunRanks(communicator_, [&](int r) {
    const int mine = r + 1;
    communicator_.Merge(r, &mine, [&](std::span<const void* const> arguments) {
      ++runs;
      for (const void* argument : arguments) {
        sum += *static_cast<const int*>(argument);
      }
    });
    seen[r] = sum;
  }));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(seen, std::vector<int>(ranks_, ranks_ * (ranks_ + 1) / 2));
}

TEST_P(CommunicatorTest, ErrorInMergeReachesEveryRankAndAllGoOn) {
  std::vector<Tensor> after(ranks_);
  ExpectNoErrors(RunRanks(communicator_, [&](int r) {
    try {
      communicator_.Merge(r, nullptr, [](std::span<const void* const>) {
        throw OutOfRange("[Test] {}", "merge");
      });
      ADD_FAILURE() << "no error on " << r;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kOutOfRange);
      EXPECT_STREQ(error.what(), "[Test] merge");
    }
    after[r] = communicator_.AllReduce(r, kOps, ReduceOp::kSum, {Row({1})})[0];
  }));
  for (const Tensor& sum : after) EXPECT_EQ(sum.at<float>(0), ranks_);
}

TEST_P(CommunicatorTest, FailureBeforeACollectiveReleasesTheOthers) {
  for (int failing = 0; failing < ranks_; ++failing) {
    const auto errors = RunRanks(communicator_, [&](int r) {
      if (r == failing) throw std::runtime_error("broken");
      communicator_.AllReduce(r, kOps, ReduceOp::kSum, {Row({1})});
    });
    for (int r = 0; r < ranks_; ++r) {
      if (r == failing) {
        EXPECT_THROW(std::rethrow_exception(errors[r]), std::runtime_error);
      } else {
        EXPECT_EQ(CodeOf(errors[r]), Code::kCancelled) << r;
      }
    }
  }
}

TEST_P(CommunicatorTest, FailureAfterACollectiveReleasesTheOthers) {
  for (int round = 0; round < 20; ++round) {
    const auto errors = RunRanks(communicator_, [&](int r) {
      communicator_.AllReduce(r, kOps, ReduceOp::kSum, {Row({1})});
      if (r == 0) throw DataLoss("[Test] {}", "broken");
      communicator_.AllReduce(r, kOps, ReduceOp::kSum, {Row({1})});
    });
    EXPECT_EQ(CodeOf(errors[0]), Code::kDataLoss);
    for (int r = 1; r < ranks_; ++r) {
      EXPECT_EQ(CodeOf(errors[r]), Code::kCancelled);
    }
  }
}

// Fails on one rank in one step, as an algorithm that runs out of memory would.
class FailingOps : public CrossDeviceOps {
 public:
  FailingOps(int rank, int step) : rank_(rank), step_(step) {}
  std::string_view name() const override { return "FailingOps"; }
  int steps(int) const override { return 3; }
  void RunStep(int step, int rank, const Reduction&) const override {
    if (rank == rank_ && step == step_) throw ResourceExhausted("[Test] full");
  }

 private:
  int rank_;
  int step_;
};

TEST_P(CommunicatorTest, FailureInsideAnAllReduceReachesAll) {
  if (ranks_ == 1) return;  // nothing is reduced on one rank
  for (int step = 0; step < 3; ++step) {
    const int failing = step % ranks_;
    const FailingOps ops(failing, step);
    const auto errors = RunRanks(communicator_, [&](int r) {
      communicator_.AllReduce(r, ops, ReduceOp::kSum, {Row({1})});
    });
    for (int r = 0; r < ranks_; ++r) {
      EXPECT_EQ(CodeOf(errors[r]),
                r == failing ? Code::kResourceExhausted : Code::kCancelled);
    }
  }
}

TEST_P(CommunicatorTest, ReturningEarlyIsADisagreement) {
  if (ranks_ == 1) return;  // nobody waits
  const auto errors = RunRanks(communicator_, [&](int r) {
    if (r == 0) return;
    communicator_.AllReduce(r, kOps, ReduceOp::kSum, {Row({1})});
  });
  EXPECT_FALSE(errors[0]);
  for (int r = 1; r < ranks_; ++r) {
    EXPECT_EQ(CodeOf(errors[r]), Code::kFailedPrecondition);
  }
}

TEST_P(CommunicatorTest, DifferentOperationsAreADisagreementOnAll) {
  if (ranks_ == 1) return;
  const auto errors = RunRanks(communicator_, [&](int r) {
    if (r == 0) {
      communicator_.AllGather(r, {Row({1})});
    } else {
      communicator_.AllReduce(r, kOps, ReduceOp::kSum, {Row({1})});
    }
  });
  for (const auto& error : errors) {
    EXPECT_EQ(CodeOf(error), Code::kFailedPrecondition);
  }
}

TEST_P(CommunicatorTest, DifferentShapesAreInvalidOnAll) {
  if (ranks_ == 1) return;
  const auto errors = RunRanks(communicator_, [&](int r) {
    communicator_.AllReduce(r, kOps, ReduceOp::kSum,
                            {Row(std::vector<float>(r == 0 ? 2 : 3))});
  });
  for (const auto& error : errors) {
    EXPECT_EQ(CodeOf(error), Code::kInvalidArgument);
  }
}

TEST_P(CommunicatorTest, ManyMeetingsInARow) {
  std::vector<float> last(ranks_);
  ExpectNoErrors(RunRanks(communicator_, [&](int r) {
    Tensor value = Row({1.0f});
    for (int i = 0; i < 300; ++i) {
      value = communicator_.AllReduce(r, kOps, ReduceOp::kMean, {value})[0];
      communicator_.AllGather(r, {value});
    }
    last[r] = value.at<float>(0);
  }));
  EXPECT_EQ(last, std::vector<float>(ranks_, 1.0f));
}

INSTANTIATE_TEST_SUITE_P(Ranks, CommunicatorTest,
                         testing::Values(1, 2, 3, 4, 5, 8));

}  // namespace
}  // namespace lockstep
