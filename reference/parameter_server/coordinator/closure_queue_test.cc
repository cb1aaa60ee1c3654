// Where closures run, and when. The rules are TensorFlow's, as observed on its
// ClusterCoordinator (2.21).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "reference/base/error_testing.h"
#include "reference/parameter_server/coordinator/fake_workers_testing.h"

namespace lockstep::coordinator_internal {
namespace {

using std::chrono::microseconds;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ClosureQueueTest, ScheduleReturnsBeforeTheCallHasRun) {
  FakeCluster cluster(1);
  const auto result = cluster.Schedule();
  EXPECT_FALSE(result->ready());
  EXPECT_FALSE(cluster.queue.Done());
  cluster.Finish(0, 1);
  EXPECT_TRUE(cluster.queue.Done());
  EXPECT_EQ(ValueOf(result), 1);
}

TEST(ClosureQueueTest, JoinWithNothingScheduledReturns) {
  FakeCluster cluster(2);
  cluster.queue.Join();
  cluster.queue.Join();
  EXPECT_TRUE(cluster.queue.Done());
}

TEST(ClosureQueueTest, JoinWaitsForTheLastCall) {
  FakeCluster cluster(2);
  cluster.Schedule();
  cluster.Schedule();
  std::atomic<bool> joined{false};
  std::thread program([&] {
    cluster.queue.Join();
    joined = true;
  });
  cluster.Finish(1, 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(joined);
  cluster.Finish(0, 1);
  program.join();
  EXPECT_TRUE(joined);
}

TEST(ClosureQueueTest, IdleWorkersTakeTurns) {
  FakeCluster cluster(2);
  for (uint64_t number = 1; number <= 4; ++number) {
    cluster.Schedule();
    cluster.Finish(number % 2 == 1 ? 0 : 1, number);
  }
  EXPECT_THAT(cluster.workers[0].started, ElementsAre(1, 3));
  EXPECT_THAT(cluster.workers[1].started, ElementsAre(2, 4));
}

TEST(ClosureQueueTest, BusyWorkerGetsNothingMore) {
  FakeCluster cluster(2);
  for (int i = 0; i < 5; ++i) cluster.Schedule();
  EXPECT_EQ(cluster.queue.num_queued(), 3u);
  cluster.Finish(1, 2);
  cluster.Finish(1, 3);
  EXPECT_THAT(cluster.workers[0].started, ElementsAre(1));
  EXPECT_THAT(cluster.workers[1].started, ElementsAre(2, 3, 4));
}

// Of calls that take 600 microseconds, three fit into 2 milliseconds.
TEST(ClosureQueueTest, ShortCallsAreSentAhead) {
  FakeCluster cluster(1, {.ahead = microseconds(2000)});
  for (int i = 0; i < 10; ++i) cluster.Schedule();
  EXPECT_THAT(cluster.workers[0].started, ElementsAre(1));
  cluster.Finish(0, 1, microseconds(600));
  EXPECT_THAT(cluster.workers[0].started, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(cluster.queue.num_running(), 4u);
}

TEST(ClosureQueueTest, ShortCallsAheadAreLimitedInNumber) {
  FakeCluster cluster(1, {.ahead = microseconds(2000), .most_ahead = 5});
  for (int i = 0; i < 10; ++i) cluster.Schedule();
  cluster.Finish(0, 1, microseconds(1));
  EXPECT_EQ(cluster.queue.num_running(), 6u);
}

// What waits behind a slow call could run elsewhere.
TEST(ClosureQueueTest, OneSlowCallEndsSendingAhead) {
  FakeCluster cluster(1, {.ahead = microseconds(2000), .most_ahead = 2});
  for (int i = 0; i < 10; ++i) cluster.Schedule();
  cluster.Finish(0, 1, microseconds(1));
  EXPECT_EQ(cluster.queue.num_running(), 3u);
  cluster.Finish(0, 2, std::chrono::seconds(1));
  cluster.Finish(0, 3, microseconds(1));
  EXPECT_EQ(cluster.queue.num_running(), 1u);
}

TEST(ClosureQueueTest, FunctionsHaveTimesOfTheirOwn) {
  FakeCluster cluster(1);
  cluster.Schedule("fast");
  cluster.Finish(0, 1, microseconds(1));
  cluster.Schedule("slow");
  cluster.Schedule("slow");
  EXPECT_EQ(cluster.queue.num_running(), 1u);
  EXPECT_EQ(cluster.queue.num_queued(), 1u);
}

TEST(ClosureQueueTest, EveryClosureBelowTheMarkIsFinished) {
  FakeCluster cluster(2);
  EXPECT_EQ(cluster.queue.finished_below(), 1u);
  for (int i = 0; i < 3; ++i) cluster.Schedule();
  cluster.Finish(1, 2);
  EXPECT_EQ(cluster.queue.finished_below(), 1u);
  cluster.Finish(0, 1);
  EXPECT_EQ(cluster.queue.finished_below(), 3u);
  cluster.Finish(1, 3);
  EXPECT_EQ(cluster.queue.finished_below(), 4u);
}

TEST(ClosureQueueTest, NumbersOfTheQueueBeforeAreNotUsedAgain) {
  FakeCluster cluster(1, {.first_number = 5});
  EXPECT_EQ(cluster.queue.finished_below(), 5u);
  cluster.Schedule();
  EXPECT_THAT(cluster.workers[0].started, ElementsAre(5));
  EXPECT_EQ(cluster.queue.next_number(), 6u);
}

TEST(ClosureQueueTest, ScheduleWaitsWhileTheQueueIsFull) {
  FakeCluster cluster(1, {.most_queued = 2});
  for (int i = 0; i < 3; ++i) cluster.Schedule();  // one runs, two wait
  std::atomic<bool> scheduled{false};
  std::thread program([&] {
    cluster.Schedule();
    scheduled = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(scheduled);
  cluster.Finish(0, 1);
  program.join();
  EXPECT_TRUE(scheduled);
  EXPECT_EQ(cluster.queue.num_queued(), 2u);
}

TEST(ClosureQueueTest, LimitIsTensorFlows) {
  FakeCluster cluster(0);
  for (int i = 0; i < 256 * 1024; ++i) cluster.Schedule();
  std::atomic<bool> raised{false};
  std::thread program([&] {
    ExpectError([&] { cluster.Schedule(); }, Code::kCancelled, "has ended");
    raised = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(raised);
  cluster.queue.Stop();
  program.join();
}

TEST(ClosureQueueTest, WorkerThatComesLateIsUsed) {
  FakeCluster cluster(1);
  for (int i = 0; i < 3; ++i) cluster.Schedule();
  FakeWorker late;
  const int number = cluster.queue.AddWorker(late);
  EXPECT_THAT(late.started, IsEmpty());
  cluster.queue.WorkerReady(number, 9);
  EXPECT_THAT(late.started, ElementsAre(2));
}

TEST(ClosureQueueTest, AnswersOfOthersClosuresAreIgnored) {
  FakeCluster cluster(2);
  const auto result = cluster.Schedule();
  cluster.Finish(1, 1);
  cluster.FailWith(1, 1, "not mine");
  cluster.Finish(0, 2);
  EXPECT_FALSE(result->ready());
  cluster.Finish(0, 1);
  cluster.Finish(0, 1);
  cluster.queue.Join();
  EXPECT_EQ(ValueOf(result), 1);
}

TEST(ClosureQueueTest, StopCancelsWhatIsNotFinished) {
  FakeCluster cluster(1);
  const auto running = cluster.Schedule();
  const auto queued = cluster.Schedule();
  cluster.queue.Stop();
  for (const auto& result : {running, queued}) {
    ExpectError([&] { result->Wait(); }, Code::kCancelled, "has ended");
  }
  ExpectError([&] { cluster.queue.Join(); }, Code::kCancelled, "has ended");
  cluster.Finish(0, 1);  // ignored
}

TEST(ClosureQueueTest, ManyThreadsScheduleAndFinish) {
  FakeCluster cluster(2);
  std::vector<std::thread> programs;
  for (int p = 0; p < 2; ++p) {
    programs.emplace_back([&] {
      for (int i = 0; i < 100; ++i) cluster.Schedule();
    });
  }
  for (std::thread& program : programs) program.join();
  std::vector<std::thread> workers;
  for (int w = 0; w < 2; ++w) {
    workers.emplace_back([&, w] {
      for (uint64_t number = 1; number <= 200; ++number) {
        cluster.Finish(w, number);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  // Each closure was with one worker when both had answered for it, or later.
  for (int round = 0; round < 200; ++round) {
    for (uint64_t number = 1; number <= 200; ++number) {
      cluster.Finish(0, number);
      cluster.Finish(1, number);
    }
    if (cluster.queue.Done()) break;
  }
  cluster.queue.Join();
  EXPECT_EQ(cluster.queue.finished_below(), 201u);
}

}  // namespace
}  // namespace lockstep::coordinator_internal
