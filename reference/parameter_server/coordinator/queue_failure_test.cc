// Who learns of which failure: of functions, of workers, of servers. The rules
// are TensorFlow's, as observed on its ClusterCoordinator (2.21).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/parameter_server/coordinator/fake_workers_testing.h"

namespace lockstep::coordinator_internal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void ExpectBad(const std::function<void()>& action) {
  ExpectError(action, Code::kInvalidArgument, "[Test] bad");
}

// 3 good and join, bad, then 40 good, join.
TEST(QueueFailureTest, JoinRaisesAndWhatIsQueuedIsCancelled) {
  FakeCluster cluster(2);
  const auto bad = cluster.Schedule("bad");  // 1, on worker 0
  std::vector<std::shared_ptr<RemoteResult>> good;
  for (int i = 0; i < 40; ++i) good.push_back(cluster.Schedule());
  cluster.FailWith(0, 1, "bad");
  cluster.Finish(1, 2);
  ExpectBad([&] { cluster.queue.Join(); });
  EXPECT_EQ(ValueOf(good[0]), 2);
  for (int i = 1; i < 40; ++i) {
    ExpectError([&] { good[i]->Wait(); }, Code::kCancelled,
                "closure 1 of 'bad' failed: [Test] bad");
  }
  ExpectBad([&] { bad->Wait(); });
  EXPECT_THAT(cluster.workers[0].started, ElementsAre(1));
  EXPECT_THAT(cluster.workers[1].started, ElementsAre(2));
}

TEST(QueueFailureTest, WhatFinishedBeforeStaysReadable) {
  FakeCluster cluster(1);
  const auto before = cluster.Schedule();
  cluster.Schedule("bad");
  cluster.Finish(0, 1);
  cluster.FailWith(0, 2, "bad");
  ExpectBad([&] { cluster.queue.Join(); });
  EXPECT_EQ(ValueOf(before), 1);
}

TEST(QueueFailureTest, ScheduleRaisesAndQueuesNothing) {
  FakeCluster cluster(1);
  cluster.Schedule("bad");
  cluster.FailWith(0, 1, "bad");
  ExpectBad([&] { cluster.Schedule(); });
  EXPECT_TRUE(cluster.queue.Done());
  const auto next = cluster.Schedule();
  cluster.Finish(0, 2);
  cluster.queue.Join();
  EXPECT_EQ(ValueOf(next), 2);
}

TEST(QueueFailureTest, FetchDoesNotClearTheError) {
  FakeCluster cluster(1);
  const auto bad = cluster.Schedule("bad");
  cluster.FailWith(0, 1, "bad");
  ExpectBad([&] { bad->Wait(); });
  ExpectBad([&] { bad->Wait(); });
  ExpectBad([&] { cluster.queue.Join(); });
  cluster.queue.Join();
}

TEST(QueueFailureTest, DoneRaises) {
  FakeCluster cluster(1);
  cluster.Schedule("bad");
  cluster.FailWith(0, 1, "bad");
  ExpectBad([&] { cluster.queue.Done(); });
  cluster.queue.Join();
  EXPECT_TRUE(cluster.queue.Done());
}

TEST(QueueFailureTest, RunningCallsFinishBeforeTheErrorIsRaised) {
  FakeCluster cluster(2);
  cluster.Schedule("bad");
  const auto running = cluster.Schedule();
  cluster.FailWith(0, 1, "bad");
  EXPECT_FALSE(cluster.queue.Done());
  std::atomic<bool> raised{false};
  std::thread program([&] {
    ExpectBad([&] { cluster.Schedule(); });
    raised = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(raised);
  cluster.Finish(1, 2);
  program.join();
  EXPECT_EQ(ValueOf(running), 2);
}

TEST(QueueFailureTest, FailuresOfRunningCallsCountAsTheSame) {
  FakeCluster cluster(2);
  const auto first = cluster.Schedule("bad");
  const auto second = cluster.Schedule("bad");
  const auto third = cluster.Schedule("bad");
  cluster.FailWith(0, 1, "bad");
  cluster.FailWith(1, 2, "worse");
  ExpectBad([&] { cluster.queue.Join(); });
  cluster.queue.Join();
  ExpectError([&] { second->Wait(); }, Code::kInvalidArgument, "worse");
  EXPECT_EQ(CodeOf([&] { third->Wait(); }), Code::kCancelled);
}

TEST(QueueFailureTest, SchedulingGoesOnAfterTheErrorWasRaised) {
  FakeCluster cluster(1);
  for (uint64_t number = 1; number <= 5; number += 2) {
    cluster.Schedule("bad");
    cluster.FailWith(0, number, "bad");
    ExpectBad([&] { cluster.queue.Join(); });
    cluster.Schedule();
    cluster.Finish(0, number + 1);
    cluster.queue.Join();
  }
}

// Closures that a worker got ahead have not begun.
TEST(QueueFailureTest, ClosuresSentAheadAreRecalled) {
  FakeCluster cluster(2, {.ahead = std::chrono::seconds(1), .most_ahead = 2});
  cluster.Schedule();
  cluster.Finish(0, 1, std::chrono::microseconds(1));
  std::vector<std::shared_ptr<RemoteResult>> ahead;
  for (int i = 0; i < 6; ++i) ahead.push_back(cluster.Schedule());
  EXPECT_THAT(cluster.workers[1].started, ElementsAre(2, 4, 6));
  EXPECT_THAT(cluster.workers[0].started, ElementsAre(1, 3, 5, 7));
  EXPECT_EQ(cluster.workers[0].last_epoch, 0u);
  cluster.FailWith(1, 2, "bad");
  EXPECT_THAT(cluster.workers[0].recalled, ElementsAre(1));
  EXPECT_THAT(cluster.workers[1].recalled, ElementsAre(1));
  cluster.queue.Returned(1, 4);
  cluster.queue.Returned(1, 6);
  cluster.Finish(0, 3);
  cluster.Finish(0, 5);
  EXPECT_FALSE(cluster.queue.Done());
  cluster.queue.Returned(0, 7);
  ExpectBad([&] { cluster.queue.Join(); });
  EXPECT_EQ(ValueOf(ahead[1]), 3);
  EXPECT_EQ(CodeOf([&] { ahead[2]->Wait(); }), Code::kCancelled);
  EXPECT_EQ(CodeOf([&] { ahead[5]->Wait(); }), Code::kCancelled);
  cluster.Schedule();
  EXPECT_EQ(cluster.workers[1].last_epoch, 1u);
}

TEST(QueueFailureTest, ClosuresOfALostWorkerRunElsewhere) {
  FakeCluster cluster(2);
  const auto first = cluster.Schedule();
  const auto second = cluster.Schedule();
  const auto third = cluster.Schedule();
  cluster.queue.WorkerLost(1);
  EXPECT_FALSE(cluster.queue.Done());
  cluster.Finish(0, 1);
  cluster.Finish(0, 2);
  cluster.Finish(0, 3);
  cluster.queue.Join();
  EXPECT_THAT(cluster.workers[0].started, ElementsAre(1, 2, 3));
  EXPECT_EQ(ValueOf(second), 2);
}

TEST(QueueFailureTest, ALostWorkersAnswersAreIgnored) {
  FakeCluster cluster(2);
  cluster.Schedule();
  const auto moved = cluster.Schedule();
  cluster.queue.WorkerLost(1);
  cluster.FailWith(1, 2, "late");
  cluster.Finish(0, 1);
  cluster.Finish(0, 2);
  cluster.queue.Join();
  EXPECT_EQ(ValueOf(moved), 2);
}

TEST(QueueFailureTest, WorkerThatComesBackTakesPart) {
  FakeCluster cluster(2);
  for (int i = 0; i < 4; ++i) cluster.Schedule();
  cluster.queue.WorkerLost(1);
  cluster.queue.WorkerReady(1, 8);
  EXPECT_THAT(cluster.workers[1].started, ElementsAre(2, 2));
}

TEST(QueueFailureTest, WithoutWorkersTheQueueWaits) {
  FakeCluster cluster(2);
  for (int i = 0; i < 2; ++i) cluster.Schedule();
  cluster.queue.WorkerLost(0);
  cluster.queue.WorkerLost(1);
  cluster.Schedule();
  EXPECT_FALSE(cluster.queue.Done());
  EXPECT_EQ(cluster.queue.num_queued(), 3u);
  cluster.queue.WorkerReady(0, 8);
  EXPECT_THAT(cluster.workers[0].started, ElementsAre(1, 1));
}

// Closure 1 ends each worker that runs it, three times.
TEST(QueueFailureTest, ClosureThatEndsItsWorkersFails) {
  FakeCluster cluster(2, {.allowed_worker_losses = 2});
  const auto crash = cluster.Schedule("crash");
  const auto other = cluster.Schedule();
  const auto queued = cluster.Schedule();
  cluster.queue.WorkerLost(0);
  cluster.Finish(1, 2);
  EXPECT_THAT(cluster.workers[1].started, ElementsAre(2, 1));
  cluster.queue.WorkerLost(1);
  cluster.queue.WorkerReady(0, 8);
  EXPECT_THAT(cluster.workers[0].started, ElementsAre(1, 1));
  cluster.queue.WorkerLost(0);
  const auto expect_failed = [](const std::function<void()>& action) {
    ExpectError(action, Code::kInternal,
                "3 workers were lost while they ran 'crash' (closure 1), the "
                "last is worker 0");
  };
  expect_failed([&] { cluster.queue.Join(); });
  expect_failed([&] { crash->Wait(); });
  EXPECT_EQ(ValueOf(other), 2);
  EXPECT_EQ(CodeOf([&] { queued->Wait(); }), Code::kCancelled);
  cluster.queue.Join();
  cluster.queue.WorkerReady(0, 9);
  const auto next = cluster.Schedule();
  cluster.Finish(0, 4);
  EXPECT_EQ(ValueOf(next), 4);
}

// What a worker got ahead did not run, and a worker that cannot reach a server
// is not lost by what it runs.
TEST(QueueFailureTest, OnlyTheClosureThatRanIsSuspect) {
  FakeCluster cluster(
      1, {.ahead = std::chrono::seconds(1), .allowed_worker_losses = 1});
  cluster.Schedule();
  cluster.Finish(0, 1, std::chrono::microseconds(1));
  cluster.Schedule();
  cluster.Schedule();
  for (const bool running_is_suspect : {true, false, false}) {
    cluster.queue.WorkerLost(0, running_is_suspect);
    cluster.queue.WorkerReady(0, 8);
  }
  EXPECT_FALSE(cluster.queue.Done());
  cluster.Finish(0, 2);
  cluster.queue.WorkerLost(0);
  cluster.queue.WorkerReady(0, 9);
  cluster.Finish(0, 3);
  cluster.queue.Join();
}

TEST(QueueFailureTest, LostWorkerDuringAFailureLetsItBeRaised) {
  FakeCluster cluster(2);
  cluster.Schedule("bad");
  const auto lost = cluster.Schedule();
  cluster.FailWith(0, 1, "bad");
  cluster.queue.WorkerLost(1);
  ExpectBad([&] { cluster.queue.Join(); });
  EXPECT_EQ(CodeOf([&] { lost->Wait(); }), Code::kCancelled);
}

TEST(QueueFailureTest, LostServerIsFinal) {
  FakeCluster cluster(2);
  std::vector<std::shared_ptr<RemoteResult>> results;
  for (int i = 0; i < 60; ++i) results.push_back(cluster.Schedule());
  cluster.Finish(0, 1);
  cluster.queue.ServerLost(Unavailable("[Test] server {} is gone", 0));
  const auto is_gone = [](const std::function<void()>& action) {
    ExpectError(action, Code::kUnavailable, "server 0 is gone");
  };
  is_gone([&] { cluster.queue.Join(); });
  is_gone([&] { cluster.queue.Join(); });
  is_gone([&] { cluster.queue.Done(); });
  is_gone([&] { cluster.Schedule(); });
  is_gone([&] { cluster.queue.Make({.call = {.function = "data"}}); });
  EXPECT_EQ(ValueOf(results[0]), 1);
  is_gone([&] { results[1]->Wait(); });
  is_gone([&] { results[2]->Wait(); });
  for (int i = 3; i < 60; ++i) {
    EXPECT_EQ(CodeOf([&] { results[i]->Wait(); }), Code::kCancelled);
  }
}

TEST(QueueFailureTest, LostServerWakesWhoWaits) {
  FakeCluster cluster(0, {.most_queued = 1});
  cluster.Schedule();
  std::vector<std::thread> programs;
  programs.emplace_back([&] {
    EXPECT_EQ(CodeOf([&] { cluster.queue.Join(); }), Code::kUnavailable);
  });
  programs.emplace_back([&] {
    EXPECT_EQ(CodeOf([&] { cluster.Schedule(); }), Code::kUnavailable);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cluster.queue.ServerLost(Unavailable("[Test] {}", "gone"));
  for (std::thread& program : programs) program.join();
}

TEST(ResourcesTest, EveryWorkerMakesThemOnce) {
  FakeCluster cluster(2);
  const ResourceId id = cluster.queue.Make({.kind = Resource::kDataset});
  EXPECT_EQ(id.value, 1);
  EXPECT_EQ(cluster.queue.Make({.kind = Resource::kIterator}).value, 2);
  for (const FakeWorker& worker : cluster.workers) {
    EXPECT_THAT(worker.made, ElementsAre(1, 2));
  }
}

TEST(ResourcesTest, NewProcessMakesThemAnew) {
  FakeCluster cluster(2);
  cluster.queue.Make({});
  cluster.queue.WorkerLost(1);
  cluster.queue.Make({});
  EXPECT_THAT(cluster.workers[1].made, ElementsAre(1));
  cluster.queue.WorkerReady(1, 8);
  EXPECT_THAT(cluster.workers[0].made, ElementsAre(1, 2));
  EXPECT_THAT(cluster.workers[1].made, ElementsAre(1, 1, 2));
}

// Its connection was lost, not its process.
TEST(ResourcesTest, SameProcessKeepsThem) {
  FakeCluster cluster(2);
  cluster.queue.Make({});
  cluster.queue.WorkerLost(1);
  cluster.queue.Make({});
  cluster.queue.WorkerReady(1, FakeCluster::kFirstIncarnation);
  EXPECT_THAT(cluster.workers[1].made, ElementsAre(1, 2));
}

}  // namespace
}  // namespace lockstep::coordinator_internal
