// An error on a replica, in every phase: who sees what, that nobody is left
// waiting, and that the strategy works afterwards.
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "reference/base/thread_limit.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/replica_threads.h"

namespace lockstep {
namespace {

class RunErrorsTest : public testing::TestWithParam<int> {
 protected:
  // The strategy still adds up.
  void ExpectUsable() {
    const PerReplica<Tensor> sums = strategy_->Run([] { return SumOfOnes(); });
    for (const Tensor& sum : sums) EXPECT_EQ(sum.item<float>(), replicas_);
  }

  static Tensor SumOfOnes() {
    return GetReplicaContext().AllReduce(ReduceOp::kSum, Tensor::Scalar(1.0f));
  }
  static int Id() { return GetReplicaContext().replica_id_in_sync_group(); }

  // Runs `body` and gives its error's code; then the strategy must work.
  template <typename Body>
  std::optional<Code> Run(const Body& body) {
    const std::optional<Code> code =
        CodeOf([&] { strategy_->Run([&] { body(); }); });
    ExpectUsable();
    return code;
  }

  const int replicas_ = GetParam();
  std::unique_ptr<MirroredStrategy> strategy_ = MakeStrategy(replicas_);
};

TEST_P(RunErrorsTest, BeforeAnAllReduce) {
  for (int failing = 0; failing < replicas_; ++failing) {
    EXPECT_EQ(Run([&] {
                if (Id() == failing) throw DataLoss("[Test] {}", failing);
                SumOfOnes();
              }),
              Code::kDataLoss);
  }
}

TEST_P(RunErrorsTest, AConsequenceInOtherWordsHidesNoCause) {
  for (int failing = 0; failing < replicas_; ++failing) {
    EXPECT_EQ(Run([&] {
                if (Id() == failing) throw DataLoss("[Test] {}", failing);
                try {
                  SumOfOnes();
                } catch (const Error& e) {
                  throw Error(e.code(), std::string("[Step] ") + e.what());
                }
              }),
              Code::kDataLoss);
  }
}

TEST_P(RunErrorsTest, AfterAnAllReduce) {
  for (int failing = 0; failing < replicas_; ++failing) {
    EXPECT_EQ(Run([&] {
                SumOfOnes();
                if (Id() == failing) throw DataLoss("[Test] {}", failing);
                SumOfOnes();
              }),
              Code::kDataLoss);
  }
}

TEST_P(RunErrorsTest, ALateErrorFindsTheOthersAsleep) {
  EXPECT_EQ(Run([&] {
              if (Id() == replicas_ - 1) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                throw DataLoss("[Test] {}", "late");
              }
              SumOfOnes();
            }),
            Code::kDataLoss);
}

TEST_P(RunErrorsTest, InAnAllReduce) {
  if (replicas_ == 1) return;  // one shape always fits itself
  EXPECT_EQ(Run([&] {
              GetReplicaContext().AllReduce(
                  ReduceOp::kSum, Row(std::vector<float>(Id() == 0 ? 1 : 2)));
            }),
            Code::kInvalidArgument);
}

TEST_P(RunErrorsTest, InAMergeCall) {
  EXPECT_EQ(Run([&] {
              GetReplicaContext().MergeCall(
                  [](Strategy&) { throw OutOfRange("[Test] {}", "merge"); });
            }),
            Code::kOutOfRange);
}

TEST_P(RunErrorsTest, BeforeAMergeCall) {
  const int failing = replicas_ - 1;
  bool merged = false;
  EXPECT_EQ(Run([&] {
              if (Id() == failing) throw OutOfRange("[Test] {}", "early");
              GetReplicaContext().MergeCall([&](Strategy&) { merged = true; });
            }),
            Code::kOutOfRange);
  EXPECT_FALSE(merged);
}

TEST_P(RunErrorsTest, BeforeAVariableUpdate) {
  const VariablePtr v = MakeIn(*strategy_, 1, VariableAggregation::kSum);
  const int failing = replicas_ - 1;
  EXPECT_EQ(Run([&] {
              if (Id() == failing) throw OutOfRange("[Test] {}", "early");
              v->AssignAdd(Tensor::Scalar(1.0f));
            }),
            Code::kOutOfRange);
  EXPECT_EQ(v->Read().item<float>(), 1);
}

TEST_P(RunErrorsTest, TheLowestReplicasErrorWins) {
  try {
    strategy_->Run([&] { throw OutOfRange("[Test] replica {}", Id()); });
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "[Test] replica 0");
  }
  ExpectUsable();
}

TEST_P(RunErrorsTest, AnyExceptionKeepsItsType) {
  EXPECT_THROW(strategy_->Run([&] {
    if (Id() == replicas_ - 1) throw std::logic_error("not ours");
    SumOfOnes();
  }),
               std::logic_error);
  EXPECT_THROW(strategy_->Run([] { throw 5; }), int);
  ExpectUsable();
}

TEST_P(RunErrorsTest, ReturningWhileOthersWaitIsADisagreement) {
  if (replicas_ == 1) return;  // nobody waits
  for (int leaving = 0; leaving < replicas_; ++leaving) {
    EXPECT_EQ(Run([&] {
                if (Id() == leaving) return;
                SumOfOnes();
              }),
              Code::kFailedPrecondition);
  }
}

TEST_P(RunErrorsTest, DifferentCallsAreADisagreement) {
  if (replicas_ == 1) return;
  EXPECT_EQ(Run([&] {
              if (Id() == 0) {
                SumOfOnes();
              } else {
                GetReplicaContext().MergeCall([](Strategy&) {});
              }
            }),
            Code::kFailedPrecondition);
  EXPECT_EQ(Run([&] {
              if (Id() == 0) {
                GetReplicaContext().MergeCall(
                    [](Strategy&, const PerReplica<int>&) {}, 1);
              } else {
                GetReplicaContext().MergeCall([](Strategy&) {});
              }
            }),
            Code::kFailedPrecondition);
}

TEST_P(RunErrorsTest, AnErrorEveryStepLeavesNothingBehind) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(CodeOf([&] {
                strategy_->Run([&] {
                  SumOfOnes();
                  if (Id() == i % replicas_) throw DataLoss("[Test] {}", i);
                  SumOfOnes();
                });
              }),
              Code::kDataLoss);
  }
  ExpectUsable();
}

TEST_P(RunErrorsTest, ThreadsThatCannotBeHadAreAnErrorOfTheConstructor) {
  constexpr int kThreadsPerReplica = 3;
  // A replica's own thread and its team's others.
  const int wanted = replicas_ * kThreadsPerReplica;
  const auto make = [&] {
    return MakeStrategy(replicas_, {.threads_per_replica = kThreadsPerReplica});
  };
  for (int more = 0; more < wanted; ++more) {
    const ThreadLimit limit(more);
    EXPECT_EQ(CodeOf(make), Code::kResourceExhausted) << more;
  }
  const ThreadLimit limit(wanted);
  EXPECT_EQ(make()->Run([] { return SumOfOnes(); })[0].item<float>(),
            replicas_);
}

TEST(ReplicaThreadsTest, WhatABodyThrowsComesBackWithItsReplica) {
  SetLogicalCpuDevices(3);
  ReplicaThreads threads(ListLogicalDevices(), 1);
  const auto errors = threads.Run([](int replica) {
    if (replica == 1) throw DataLoss("[Test] replica {}", replica);
  });
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_FALSE(errors[0]);
  EXPECT_EQ(CodeOf([&] { std::rethrow_exception(errors[1]); }),
            Code::kDataLoss);
  EXPECT_FALSE(errors[2]);
  for (const auto& error : threads.Run([](int) {})) EXPECT_FALSE(error);
}

INSTANTIATE_TEST_SUITE_P(Replicas, RunErrorsTest,
                         testing::Values(1, 2, 3, 4, 5, 8));

}  // namespace
}  // namespace lockstep
