#include "reference/collectives/gloo/gloo_group.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/collectives/gloo/gloo_testing.h"

namespace lockstep {
namespace {

Tensor Row(std::vector<float> values) { return Tensor::FromVector(values); }

TEST(GlooGroupTest, ReducesInManySteps) {
  // 5 MB in one tensor, between two small ones whose pieces adjoin its own.
  constexpr int64_t kCount = 1'300'007;
  GlooRanks::Make(3)->Run([&](Group& group) {
    const float mine = 1.0f + group.rank();
    const TensorList sums =
        group
            .AllReduce(ReduceOp::kSum,
                       {Row({mine}), Tensor::Full<float>(Shape{kCount}, mine),
                        Row({mine, mine})},
                       {})
            .Wait();
    EXPECT_EQ(sums[1].ToVector<float>(), std::vector<float>(kCount, 6));
    EXPECT_EQ(sums[0].ToVector<float>(), std::vector<float>(1, 6));
    EXPECT_EQ(sums[2].ToVector<float>(), std::vector<float>(2, 6));
  });
}

// Threads of this process in a class of the kernel's scheduler.
int ThreadsIn(int policy) {
  int count = 0;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/self/task")) {
    const pid_t thread = std::stoi(task.path().filename());
    if (sched_getscheduler(thread) == policy) ++count;
  }
  return count;
}

// If it preempted a thread that holds a connection's lock, it would spin on the
// lock until its time slice is over.
TEST(GlooGroupTest, GloosThreadDoesNotPreempt) {
  ASSERT_EQ(ThreadsIn(SCHED_BATCH), 0);
  const auto ranks = GlooRanks::Make(2);
  EXPECT_EQ(ThreadsIn(SCHED_BATCH), 2) << "one of each worker's connections";
  ranks->Run([](Group&) { EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER); });
}

// The description of 2,000 tensors does not fit into a message.
TEST(GlooGroupTest, ListsMayBeLong) {
  GlooRanks::Make(2)->Run([&](Group& group) {
    const int r = group.rank();
    const TensorList mine(2000, Row({1.0f * r}));
    EXPECT_EQ(
        group.AllReduce(ReduceOp::kSum, mine, {}).Wait().back().at<float>(0),
        1);
    EXPECT_EQ(group.Broadcast(mine, 1, {}).Wait().back().at<float>(0), 1);
    const auto all =
        group.AllGather(TensorList(1 + 1999 * r, Row({5})), {}).Wait();
    EXPECT_EQ(all[0].size(), 1u);
    EXPECT_EQ(all[1].size(), 2000u);
  });
}

TEST(GlooGroupTest, GathersAndBroadcastsStrings) {
  GlooRanks::Make(2)->Run([&](Group& group) {
    const std::vector<std::string> mine = {
        "", std::string(group.rank() == 0 ? 3 : 100'000, 'x')};
    const Tensor strings = Tensor::FromVector(mine);
    const auto all = group.AllGather({strings, Row({2})}, {}).Wait();
    EXPECT_EQ(all[0][0].ToVector<std::string>(),
              (std::vector<std::string>{"", "xxx"}));
    EXPECT_EQ(all[1][0].at<std::string>(1).size(), 100'000u);
    EXPECT_EQ(all[1][1].at<float>(0), 2);
    EXPECT_EQ(group.Broadcast({strings}, 1, {}).Wait()[0].at<std::string>(1),
              all[1][0].at<std::string>(1));
  });
}

TEST(GlooGroupTest, DifferentListsNameTheWorkersAndAllContinue) {
  GlooRanks::Make(3)->Run([&](Group& group) {
    const bool odd = group.rank() == 2;
    const TensorList mine(1, Row(std::vector<float>(odd ? 5 : 4)));
    ExpectError(
        [&] { group.AllReduce(ReduceOp::kSum, mine, {}).Wait(); },
        Code::kInvalidArgument,
        "tensor 0 is float32 (4,) on worker 0, float32 (5,) on worker 2");
    ExpectError([&] { group.Broadcast(mine, odd ? 2 : 0, {}).Wait(); },
                Code::kFailedPrecondition,
                "worker 0 calls Broadcast(0), worker 2 calls Broadcast(2)");
    EXPECT_EQ(
        group.AllReduce(ReduceOp::kSum, {Row({1})}, {}).Wait()[0].at<float>(0),
        3);
  });
}

// One worker's values cannot be reduced: all get the error, all continue.
TEST(GlooGroupTest, AnErrorOnOneWorkerReachesAll) {
  GlooRanks::Make(2)->Run([&](Group& group) {
    const Tensor mine = group.rank() == 1
                            ? Tensor::FromVector(std::vector<std::string>{"a"})
                            : Row({1});
    ExpectError([&] { group.AllReduce(ReduceOp::kSum, {mine}, {}).Wait(); },
                Code::kInvalidArgument, "string values have no SUM");
    ExpectError(
        [&] {
          group.AllGather(group.rank() == 0 ? TensorList(1) : TensorList(), {})
              .Wait();
        },
        Code::kInvalidArgument, "[AllGather] there is no tensor");
    group.Barrier({});
  });
}

// Abort ends the group, not the job.
TEST(GlooGroupTest, AfterAnAbortAnotherGroupCanBeMade) {
  const auto ranks = GlooRanks::Make(2);
  const auto errors = ranks->Errors([](Group& group) {
    if (group.rank() == 0) throw DataLoss("[Test] {}", "broken");
    EXPECT_EQ(CodeOf([&] { group.Barrier({}); }), Code::kCancelled);
    // The group ends at once.
    ExpectError([&] { group.Barrier({}); }, Code::kCancelled,
                "another replica failed");
  });
  EXPECT_EQ(CodeOf(errors[0]), Code::kDataLoss);
  ranks->Run([](Group& group) { group.Barrier({}); });
}

TEST(GlooGroupTest, AFailureOfTheJobFailsTheGroup) {
  const auto all = std::make_shared<GlooRanks>(2);
  const auto ranks = GlooRanks::Make(all);
  std::thread failing([&] { all->planes()[1]->Abort("the disk is full"); });
  ExpectError([&] { (*ranks)[0].Barrier({}); }, Code::kCancelled,
              "the disk is full");
  failing.join();
  // The failing worker itself is notified on any thread.
  ExpectError(
      [&] {
        while (true) all->planes()[1]->Check();
      },
      Code::kCancelled, "the disk is full");
  ExpectError([&] { (*ranks)[1].Barrier({}); }, Code::kCancelled,
              "the disk is full");
}

TEST(GlooGroupTest, AnAddressOfAnotherMachineIsRefusedOnAllWorkers) {
  const ControlPlanes planes = MakeThreadControlPlanes(2);
  const std::pair<GlooOptions, Code> wrongs[] = {
      {{.address = "203.0.113.7"}, Code::kInvalidArgument},
      {{.address = "no-host.invalid"}, Code::kNotFound},
      {{.interface_name = "no-such0"}, Code::kInvalidArgument}};
  for (const auto& [wrong, code] : wrongs) {
    std::vector<std::unique_ptr<Group>> groups;
    const auto errors = ConnectAll(planes, {GlooOptions(), wrong}, groups);
    for (const auto& error : errors) {
      ExpectError([&] { std::rethrow_exception(error); }, code,
                  "worker 1 cannot listen on");
    }
  }
  // The job continues.
  std::vector<std::unique_ptr<Group>> groups;
  RethrowAny(ConnectAll(planes, {{}, {.interface_name = "lo"}}, groups));
}

TEST(GlooGroupTest, AWorkerThatNeverConnectsIsNamed) {
  const ControlPlanes planes = MakeThreadControlPlanes(2);
  ExpectError(
      [&] {
        MakeGlooGroup(*planes[0],
                      {.connect_limit = std::chrono::milliseconds(20)});
      },
      Code::kDeadlineExceeded, "worker 1");
}

// A worker whose address the others have, and which has died.
class DyingControlPlane final : public ForwardingControlPlane {
 public:
  using ForwardingControlPlane::ForwardingControlPlane;

  std::vector<std::string> Exchange(std::string_view name,
                                    const std::string& mine,
                                    Deadline deadline) override {
    ForwardingControlPlane::Exchange(name, mine, deadline);
    Die();
    throw DataLoss("[Test] {}", "dead");
  }
};

// It is random whether a worker waits for the dead one or finds it gone, so
// this has several workers and repeats.
TEST(GlooGroupTest, AWorkerThatDiesBeforeItConnectsIsNotWaitedFor) {
  const auto start = std::chrono::steady_clock::now();
  for (int time = 0; time < 3; ++time) {
    ControlPlanes planes = MakeThreadControlPlanes(4);
    planes[3] = std::make_unique<DyingControlPlane>(std::move(planes[3]));
    std::vector<std::unique_ptr<Group>> groups;
    const auto errors = ConnectAll(planes, std::vector<GlooOptions>(4), groups);
    for (int w = 0; w < 3; ++w) {
      ExpectError([&] { std::rethrow_exception(errors[w]); },
                  Code::kUnavailable, "worker 3 is gone");
    }
  }
  // Far below the limit for connecting, 30 s.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

// Wait is not called for one operation: its destructor waits.
TEST(GlooGroupTest, OverlappedWorkIsDoneInOrder) {
  GlooRanks::Make(2)->Run([](Group& group) {
    std::vector<Pending<TensorList>> pending;
    for (int i = 0; i < 20; ++i) {
      pending.push_back(group.AllReduce(ReduceOp::kSum, {Row({1.0f * i})},
                                        {.overlapped = true}));
    }
    const auto all = group.AllGather({Row({3})}, {}).Wait();
    EXPECT_EQ(all[1][0].at<float>(0), 3);
    for (int i = 0; i < 20; i += 2) {
      EXPECT_EQ(pending[i].Wait()[0].at<float>(0), 2.0f * i);
    }
  });
}

}  // namespace
}  // namespace lockstep
