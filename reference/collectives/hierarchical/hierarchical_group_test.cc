#include "reference/collectives/hierarchical/hierarchical_group.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/cluster/control/control_plane_testing.h"
#include "reference/collectives/group_contract.h"
#include "reference/collectives/hierarchical/hierarchical_testing.h"
#include "reference/collectives/hierarchical/replica_meeting.h"
#include "reference/collectives/hierarchical/worker_group.h"

namespace lockstep {
namespace {

GroupBackend Workers(const std::vector<int>& replicas) {
  std::string name = "Workers";
  for (const int count : replicas) name += std::to_string(count);
  return {.name = name,
          .algorithm = "HierarchicalAllReduce(SharedMemoryAllReduce)",
          .make = [replicas] { return HierarchicalRanks::Make(replicas); }};
}

INSTANTIATE_TEST_SUITE_P(Hierarchical, GroupContract,
                         testing::Values(Workers({1}), Workers({2}),
                                         Workers({2, 2}), Workers({1, 3}),
                                         Workers({3, 1, 2})),
                         NameOfBackend);

Tensor Row(std::vector<float> values) { return Tensor::FromVector(values); }

// Worker 0 has replica 0 with 1, worker 1 three with 2, 4, 5: 3, where the mean
// of the workers' means is 2.33.
TEST(HierarchicalGroupTest, AMeanWeighsReplicasEqually) {
  const float mine[] = {1, 2, 4, 5};
  HierarchicalRanks::Make({1, 3})->Run([&](Group& group) {
    const Tensor value = Row({mine[group.rank()]});
    EXPECT_EQ(group.AllReduce(ReduceOp::kMean, {value}, {})
                  .Wait()[0]
                  .ToVector<float>(),
              (std::vector<float>{3}));
  });
}

TEST(HierarchicalGroupTest, TheMeanOfIntegersIsFloat64) {
  HierarchicalRanks::Make({2, 1})->Run([&](Group& group) {
    const Tensor value = Tensor::Scalar<int32_t>(group.rank());
    const Tensor mean = group.AllReduce(ReduceOp::kMean, {value}, {}).Wait()[0];
    EXPECT_EQ(mean.item<double>(), 1.0);
    // The input is unchanged.
    EXPECT_EQ(value.item<int32_t>(), group.rank());
  });
}

TEST(HierarchicalGroupTest, AMeanLeavesItsInputs) {
  for (const std::vector<int>& replicas :
       std::vector<std::vector<int>>{{1, 1}, {2}, {2, 2}}) {
    HierarchicalRanks::Make(replicas)->Run([&](Group& group) {
      const Tensor value = Row({4, 8});
      group.AllReduce(ReduceOp::kMean, {value}, {}).Wait();
      EXPECT_EQ(value.ToVector<float>(), (std::vector<float>{4, 8}));
    });
  }
}

TEST(HierarchicalGroupTest, SumAndMeanDisagree) {
  const auto errors = HierarchicalRanks::Make({2, 2})->Errors([](Group& group) {
    const ReduceOp op = group.rank() < 2 ? ReduceOp::kSum : ReduceOp::kMean;
    group.AllReduce(op, {Row({1})}, {}).Wait();
  });
  for (const auto& error : errors) {
    EXPECT_EQ(CodeOf(error), Code::kFailedPrecondition);
  }
}

// The other worker already waits in the exchange; it gets the error too, and
// all continue.
TEST(HierarchicalGroupTest, ADisagreementOnOneWorkerReachesTheOthers) {
  HierarchicalRanks::Make({2, 2})->Run([](Group& group) {
    const auto disagree = [&] {
      if (group.rank() == 0) {
        group.Barrier({});
      } else {
        group.AllReduce(ReduceOp::kSum, {Row({1})}, {}).Wait();
      }
    };
    try {
      disagree();
      ADD_FAILURE() << "no error on " << group.rank();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kFailedPrecondition) << error.what();
    }
    EXPECT_EQ(
        group.AllReduce(ReduceOp::kSum, {Row({1})}, {}).Wait()[0].at<float>(0),
        4);
  });
}

TEST(HierarchicalGroupTest, AWrongShapeIsInvalidOnAllAndAllContinue) {
  HierarchicalRanks::Make({3, 1, 2})->Run([](Group& group) {
    const Tensor mine = Row(std::vector<float>(group.rank() == 1 ? 2 : 3));
    try {
      group.AllReduce(ReduceOp::kSum, {mine}, {}).Wait();
      ADD_FAILURE() << "no error on " << group.rank();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument) << error.what();
    }
    EXPECT_EQ(
        group.AllReduce(ReduceOp::kSum, {Row({1})}, {}).Wait()[0].at<float>(0),
        6);
  });
}

// Values whose sums are exact, in lists of any form: the hierarchy's results
// are those of one group of threads.
RC_GTEST_PROP(HierarchicalGroupTest, EqualsOneGroupOfThreads, ()) {
  const auto replicas = *rc::gen::container<std::vector<int>>(
      *rc::gen::inRange(1, 4), rc::gen::inRange(1, 4));
  int ranks = 0;
  for (const int count : replicas) ranks += count;
  const auto sizes = *rc::gen::container<std::vector<int>>(
      *rc::gen::inRange(0, 5), rc::gen::inRange(0, 40));
  const int root = *rc::gen::inRange(0, ranks);
  const auto op = *rc::gen::element(ReduceOp::kSum, ReduceOp::kMean);
  const int seed = *rc::gen::inRange(0, 1000);
  const auto value = [&](int rank, size_t tensor, int size) {
    std::vector<float> values(size);
    for (int i = 0; i < size; ++i) {
      values[i] = static_cast<float>((seed + 7 * rank + 3 * tensor + i) % 64);
    }
    return Row(values);
  };
  // All results of each rank.
  const auto run = [&](Ranks& all) {
    std::vector<TensorList> got(ranks);
    all.Run([&](Group& group) {
      const int r = group.rank();
      TensorList mine, parts, ragged;
      for (size_t t = 0; t < sizes.size(); ++t) {
        mine.push_back(value(r, t, sizes[t]));
        ragged.push_back(value(r, t, sizes[t] + r));
      }
      for (int part = 0; part < ranks; ++part) {
        parts.push_back(value(r, part, part % 3));
      }
      got[r] = group.AllReduce(op, mine, {}).Wait();
      got[r].push_back(group.ReduceScatter(op, parts, {}).Wait());
      for (const TensorList& list : group.AllGather(ragged, {}).Wait()) {
        got[r].insert(got[r].end(), list.begin(), list.end());
      }
      for (const Tensor& t : group.Broadcast(ragged, root, {}).Wait()) {
        got[r].push_back(t);
      }
    });
    return got;
  };
  Ranks flat(ranks);
  const auto expected = run(flat);
  const auto got = run(*HierarchicalRanks::Make(replicas));
  for (int r = 0; r < ranks; ++r) {
    RC_ASSERT(got[r].size() == expected[r].size());
    for (size_t t = 0; t < got[r].size(); ++t) {
      RC_ASSERT(BitwiseEqual(got[r][t], expected[r][t]));
    }
  }
}

// Wherever a replica leaves the meeting, the other one is not left waiting.
TEST(ReplicaMeetingTest, AReplicaThatLeavesEarlyFailsTheOther) {
  enum class Step { kStart, kContributed, kShared };
  for (const Step last : {Step::kStart, Step::kContributed, Step::kShared}) {
    for (const int leaves : {0, 1}) {
      auto rendezvous = std::make_shared<Rendezvous>(2);
      collectives_internal::LocalReplicas replicas(
          rendezvous,
          std::make_shared<WorkerGroup>(std::make_shared<InProcessGroup>(
              std::make_shared<Rendezvous>(1), 0,
              std::make_shared<SharedMemoryAllReduce>())));
      const auto errors = RunRanks(2, EndsOf(*rendezvous), [&](int rank) {
        collectives_internal::ReplicaData mine;
        collectives_internal::ReplicaMeeting meeting(
            replicas, rank, {.operation = "AllGather"}, mine);
        const auto leave_after = [&](Step step) {
          if (step == last && rank == leaves) throw DataLoss("[Test] left");
        };
        leave_after(Step::kStart);
        meeting.Contribute([] {});
        leave_after(Step::kContributed);
        if (meeting.leading()) {
          meeting.ExchangeLists([] { return TensorList(); });
        }
        meeting.Share();
        leave_after(Step::kShared);
        meeting.Finish();
      });
      EXPECT_EQ(CodeOf(errors[leaves]), Code::kDataLoss);
      EXPECT_EQ(CodeOf(errors[1 - leaves]), Code::kCancelled);
    }
  }
}

// A worker fails, with any code, before it takes part.
TEST(WorkerGroupTest, AFailureOnOneWorkerReachesAllAndAllContinue) {
  auto rendezvous = std::make_shared<Rendezvous>(3);
  RethrowAny(RunRanks(3, EndsOf(*rendezvous), [&](int rank) {
    WorkerGroup workers(std::make_shared<InProcessGroup>(
        rendezvous, rank, std::make_shared<SharedMemoryAllReduce>()));
    try {
      workers.AllGather({.operation = "Read"}, [&] {
        if (rank > 0) throw DataLoss("[Test] worker {} is broken", rank);
        return TensorList{Row({1})};
      });
      ADD_FAILURE() << "no error on " << rank;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kDataLoss);
      EXPECT_STREQ(error.what(), "[Test] worker 1 is broken");
    }
    const auto all = workers.AllGather(
        {.operation = "Read"}, [&] { return TensorList(rank, Row({1})); });
    for (int worker = 0; worker < 3; ++worker) {
      EXPECT_EQ(std::ssize(all[worker]), worker);
    }
  }));
}

TEST(WorkerGroupTest, DifferentCallsDisagreeOnAllAndAllContinue) {
  auto rendezvous = std::make_shared<Rendezvous>(2);
  RethrowAny(RunRanks(2, EndsOf(*rendezvous), [&](int rank) {
    WorkerGroup workers(std::make_shared<InProcessGroup>(
        rendezvous, rank, std::make_shared<SharedMemoryAllReduce>()));
    const auto nothing = [] { return TensorList(); };
    const auto sum = [](Group& group, const CollectiveOptions& options) {
      group.AllReduce(ReduceOp::kSum, {Row({1})}, options).Wait();
    };
    // Two gathers of different names; a gather and an all-reduce.
    for (const bool gathers : {true, false}) {
      try {
        if (rank == 0) {
          workers.AllGather({.operation = "Save"}, nothing);
        } else if (gathers) {
          workers.AllGather({.operation = "Reduce"}, nothing);
        } else {
          workers.Run({.operation = "Reduce"}, std::nullopt, sum);
        }
        ADD_FAILURE() << "no error on " << rank;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::kFailedPrecondition);
        EXPECT_STREQ(error.what(),
                     "[Collective] workers disagree: worker 0 calls Save(0), "
                     "worker 1 calls Reduce(0)");
      }
    }
    workers.Run({.operation = "Reduce"}, std::nullopt, sum);
  }));
}

TEST(WorkerGroupTest, AnyOtherFailureEndsTheGroup) {
  auto rendezvous = std::make_shared<Rendezvous>(2);
  const auto errors = RunRanks(2, EndsOf(*rendezvous), [&](int rank) {
    WorkerGroup workers(std::make_shared<InProcessGroup>(
        rendezvous, rank, std::make_shared<SharedMemoryAllReduce>()));
    std::optional<Error> failed;
    if (rank == 1) failed = ResourceExhausted("[Test] {}", "full");
    workers.Run({.operation = "Reduce"}, failed,
                [](Group& group, const CollectiveOptions& options) {
                  group.AllReduce(ReduceOp::kSum, {Row({1})}, options).Wait();
                });
  });
  EXPECT_EQ(CodeOf(errors[0]), Code::kCancelled);
  EXPECT_EQ(CodeOf(errors[1]), Code::kResourceExhausted);
}

// The rank that ended the group may have done so because of the same failure.
TEST(WorkerGroupTest, AFailureOfTheJobIsTheReasonThatAGroupHasEnded) {
  std::vector<std::unique_ptr<ControlPlane>> planes =
      MakeThreadControlPlanes(2);
  const auto group = std::make_shared<InProcessGroup>(
      std::make_shared<Rendezvous>(2), 0,
      std::make_shared<SharedMemoryAllReduce>());
  WorkerGroup workers(group, std::nullopt, std::move(planes[0]));
  planes[1].reset();
  group->Abort();
  ExpectError(
      [&] {
        workers.AllGather({.operation = "Gather"},
                          [] { return TensorList{Row({1})}; });
      },
      Code::kUnavailable, "worker 1");
}

}  // namespace
}  // namespace lockstep
