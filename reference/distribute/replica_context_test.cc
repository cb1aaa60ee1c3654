// The numbers are from the catalogue of behaviour: STRATEGY, REDUCE, GATHER and
// GRAD.

#include "reference/distribute/replica_context.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "reference/autodiff/gradient_tape.h"
#include "reference/base/failing_system_calls.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/mirrored_strategy.h"
#include "reference/kernels/elementwise/binary.h"

namespace lockstep {
namespace {

int Id() { return GetReplicaContext().replica_id_in_sync_group().value(); }

// x * x, as a differentiable operation.
Tensor Square(const Tensor& x) {
  const Tensor y = kernels::Multiply(x, x);
  RecordOperation({x}, y, [x](const Tensor& gradient, std::span<const bool>) {
    const Tensor twice = kernels::Multiply(x, Tensor::Scalar(2.0f));
    return std::vector<std::optional<Tensor>>{
        kernels::Multiply(twice, gradient)};
  });
  return y;
}

// x * weight, differentiable in x.
Tensor Weigh(const Tensor& x, const Tensor& weight) {
  const Tensor y = kernels::Multiply(x, weight);
  RecordOperation({x}, y,
                  [weight](const Tensor& gradient, std::span<const bool>) {
                    return std::vector<std::optional<Tensor>>{
                        kernels::Multiply(weight, gradient)};
                  });
  return y;
}

TEST(ReplicaContextTest, AllReduceOfIntegers) {
  // r^2 + 1 on 3 replicas: 1 + 2 + 5.
  const auto strategy = MakeStrategy(3);
  const PerReplica<Structure> results = strategy->Run([] {
    const Tensor mine = Tensor::Scalar<int32_t>(Id() * Id() + 1);
    ReplicaContext& replica = GetReplicaContext();
    return Structure::Tuple({replica.AllReduce(ReduceOp::kSum, mine),
                             replica.AllReduce(ReduceOp::kMean, mine)});
  });
  for (const Structure& result : results) {
    EXPECT_EQ(result[0].leaf().item<int32_t>(), 8);
    EXPECT_EQ(result[1].leaf().item<double>(), 8.0 / 3.0);
  }
}

TEST(ReplicaContextTest, FlushesDenormalsOnReplicasOnly) {
  const Tensor smallest = Tensor::Scalar(0x1p-126f);
  const Tensor half = Tensor::Scalar(0.5f);
  const auto strategy = MakeStrategy(2);
  const PerReplica<Structure> results = strategy->Run(
      [&] { return Structure(kernels::Multiply(smallest, half)); });
  for (const Structure& result : results) {
    EXPECT_EQ(result.leaf().item<float>(), 0);
  }
  EXPECT_EQ(kernels::Multiply(smallest, half).item<float>(), 0x1p-127f);
}

TEST(ReplicaContextTest, AllReduceTakesNests) {
  const auto strategy = MakeStrategy(2);
  const PerReplica<Structure> results = strategy->Run([] {
    const float id = static_cast<float>(Id());
    return GetReplicaContext().AllReduce(
        ReduceOp::kSum,
        Structure::Dict({{"a", Row({id})}, {"b", Row({id, 1})}}));
  });
  EXPECT_EQ(ToString(results[1]), "{'a': [1], 'b': [1, 2]}");
}

TEST(ReplicaContextTest, AllGatherJoinsOnAllReplicas) {
  // r + 1 copies of r on 3 replicas.
  const auto strategy = MakeStrategy(3);
  const PerReplica<Structure> results = strategy->Run([] {
    const Tensor mine = Row(std::vector<float>(Id() + 1, Id()));
    return GetReplicaContext().AllGather(Structure::Tuple({mine, mine}), 0);
  });
  for (const Structure& result : results) {
    EXPECT_EQ(ToString(result), "([0, 1, 1, 2, 2, 2], [0, 1, 1, 2, 2, 2])");
  }
}

TEST(ReplicaContextTest, MergeCallSeesAllArgumentsOnce) {
  const auto strategy = MakeStrategy(2);
  int calls = 0;
  const PerReplica<float> sums = strategy->Run([&] {
    const Tensor mine = Tensor::Scalar(Id() + 1.0f);
    const Tensor sum = GetReplicaContext().MergeCall(
        [&](Strategy& merged, const PerReplica<Tensor>& values) {
          EXPECT_TRUE(InCrossReplicaContext());
          EXPECT_EQ(&merged, strategy.get());
          ++calls;
          return merged.Reduce(ReduceOp::kSum, values);
        },
        mine);
    return sum.item<float>();
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(sums.values(), (std::vector<float>{3, 3}));
}

TEST(ReplicaContextTest, MergeCallThroughTheBaseRunsOnce) {
  const auto strategy = MakeStrategy(3);
  int calls = 0;
  strategy->Run(
      [&] { DistributionContext::Current().MergeCall([&] { ++calls; }); });
  EXPECT_EQ(calls, 1);
  StrategyScope scope = strategy->Scope();
  DistributionContext::Current().MergeCall([&] { ++calls; });
  EXPECT_EQ(calls, 2);
}

TEST(ReplicaContextTest, AllReduceNeedsAReplica) {
  const auto strategy = MakeStrategy(2);
  StrategyScope scope = strategy->Scope();
  EXPECT_EQ(CodeOf([] {
              DistributionContext::Current().AllReduce(ReduceOp::kSum, {});
            }),
            Code::kFailedPrecondition);
}

TEST(ReplicaContextTest, BroadcastGivesTheRootsValue) {
  const auto strategy = MakeStrategy(3);
  const PerReplica<Tensor> results = strategy->Run(
      [] { return GetReplicaContext().Broadcast(Row({1.0f * Id()}), 2); });
  for (const Tensor& result : results) EXPECT_EQ(result.at<float>(0), 2);
}

TEST(ReplicaContextTest, GradientThroughAllReduce) {
  // y = sum of x^2 over the replicas, x = (1, 2): dy/dx = 2 * 2x; mean 2x.
  const auto strategy = MakeStrategy(2);
  const auto gradient = [&](ReduceOp op) {
    return strategy->Run([op] {
      GradientTape tape;
      const Tensor x = Tensor::Scalar(Id() + 1.0f);
      tape.Watch(x);
      const Tensor y = GetReplicaContext().AllReduce(op, Square(x));
      return tape.Gradient(y, std::vector<Tensor>{x})[0]->item<float>();
    });
  };
  EXPECT_EQ(gradient(ReduceOp::kSum).values(), (std::vector<float>{4, 8}));
  EXPECT_EQ(gradient(ReduceOp::kMean).values(), (std::vector<float>{2, 4}));
}

TEST(ReplicaContextTest, GradientThroughAllGather) {
  // Both replicas multiply the joined values by (1, 10): 2 and 20.
  const auto strategy = MakeStrategy(2);
  for (int axis : {0, -1}) {
    const PerReplica<float> gradients = strategy->Run([axis] {
      GradientTape tape;
      const Tensor x = Row({5});
      tape.Watch(x);
      const Tensor all = GetReplicaContext().AllGather(x, axis);
      const Tensor y = Weigh(all, Row({1, 10}));
      return tape.Gradient(y, std::vector<Tensor>{x})[0]->at<float>(0);
    });
    EXPECT_EQ(gradients.values(), (std::vector<float>{2, 20}));
  }
}

TEST(ReplicaContextTest, GradientsStayPerReplica) {
  // x^2 at 5 .. 8 on four replicas.
  const auto strategy = MakeStrategy(4);
  const PerReplica<float> gradients = strategy->Run([] {
    GradientTape tape;
    const Tensor x = Tensor::Scalar(5.0f + Id());
    tape.Watch(x);
    return tape.Gradient(Square(x), std::vector<Tensor>{x})[0]->item<float>();
  });
  EXPECT_EQ(gradients.values(), (std::vector<float>{10, 12, 14, 16}));
}

}  // namespace

// An error on a replica, in every phase: the error that the caller gets, that
// no replica is left waiting, and that the strategy works afterwards.

namespace {

class RunErrorsTest : public testing::TestWithParam<int> {
 protected:
  // The strategy still works.
  void ExpectUsable() {
    const PerReplica<Tensor> sums = strategy_->Run([] { return SumOfOnes(); });
    for (const Tensor& sum : sums) EXPECT_EQ(sum.item<float>(), replicas_);
  }

  static Tensor SumOfOnes() {
    return GetReplicaContext().AllReduce(ReduceOp::kSum, Tensor::Scalar(1.0f));
  }
  static int Id() {
    return GetReplicaContext().replica_id_in_sync_group().value();
  }

  // Runs `body` and returns the code of its error; then the strategy must work.
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

TEST_P(RunErrorsTest, RewordedConsequenceDoesNotHideTheCause) {
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

TEST_P(RunErrorsTest, LateErrorWakesTheOthers) {
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
  if (replicas_ == 1) return;  // one shape always matches itself
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

TEST_P(RunErrorsTest, RefusesReturnWhileOthersWait) {
  if (replicas_ == 1) return;  // no other replica waits
  for (int leaving = 0; leaving < replicas_; ++leaving) {
    EXPECT_EQ(Run([&] {
                if (Id() == leaving) return;
                SumOfOnes();
              }),
              Code::kFailedPrecondition);
  }
}

TEST_P(RunErrorsTest, RefusesDifferentCalls) {
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

TEST_P(RunErrorsTest, ErrorsEveryStepLeakNothing) {
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

TEST_P(RunErrorsTest, ConstructorFailsWithoutThreads) {
  constexpr int kThreadsPerReplica = 3;
  // A replica's thread and the others of its team.
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

TEST(ReplicaThreadsTest, ReturnsEachReplicasError) {
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
