#include "reference/device/device_timer.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/device/fake_gpu.h"
#include "reference/device/kernel_scope.h"

namespace lockstep {
namespace {

using std::chrono::microseconds;

TEST(ClockReadingTest, TheShortestWaitCounts) {
  // The first is that of a cold queue.
  constexpr std::array<int, ClockReading::kAttempts> kWaits = {900, 8, 6, 20,
                                                               6};
  ClockReading::Clock::time_point now;
  const ClockReading reading =
      ReadClock([&](int attempt) { now += microseconds(kWaits[attempt]); },
                [&] { return now; });
  EXPECT_EQ(reading.attempt, 2);
  EXPECT_EQ(reading.wait, microseconds(6));
  EXPECT_EQ(reading.time.time_since_epoch(), microseconds(900 + 8 + 3));
}

class CapturedRunsTest : public testing::Test {
 protected:
  // Queues a run; counts how often it was asked to.
  void Run() {
    ++queued_;
    FakeGpu::QueueOf(gpu_.device()).Submit([this] { timers_.Count(1); });
  }

  // Runs that the fake GPU did.
  double done() const { return timers_.counted(); }

  FakeGpu gpu_;
  CountingTimers timers_;
  int queued_ = 0;
};

TEST_F(CapturedRunsTest, TheHostQueuesEachOnceBehindAFirstRun) {
  CapturedRuns runs(gpu_.device(), 3, [this] { Run(); });
  EXPECT_EQ(queued_, 1 + 3);
  EXPECT_EQ(done(), 1 + 3);
  runs.Seconds();
  runs.Seconds();
  EXPECT_EQ(queued_, 1 + 3);
  EXPECT_EQ(done(), 1 + 3 + 2 * (3 + 3));
}

TEST_F(CapturedRunsTest, AllRunsOfOneLaunchAreTimed) {
  CapturedRuns runs(gpu_.device(), 4, [this] { Run(); });
  EXPECT_EQ(runs.Seconds(), 4);
  EXPECT_EQ(runs.Seconds(), 4);
}

TEST_F(CapturedRunsTest, ACapturedRunThatThrowsLeavesTheDeviceUsable) {
  const auto fail_later = [this] {
    if (queued_ == 2) throw std::runtime_error("no such layer");
    Run();
  };
  EXPECT_THROW(CapturedRuns(gpu_.device(), 2, fail_later), std::runtime_error);
  EXPECT_EQ(done(), 1);  // what was captured is thrown away
  Run();
  EXPECT_EQ(done(), 2);
}

using Lines = std::vector<std::string>;

class SimulatedQueuesTest : public testing::Test {
 protected:
  void Give(DeviceQueue queue, const std::string& name) {
    queues_.Submit(queue, name, [this, name] { run_.push_back(name); });
  }

  SimulatedQueues queues_;
  Lines run_;
};

TEST_F(SimulatedQueuesTest, RunWhatTheyAreGivenAtOnce) {
  Give(DeviceQueue::kCompute, "a");
  Give(DeviceQueue::kCopy, "b");
  EXPECT_EQ(run_, (Lines{"a", "b"}));
  EXPECT_EQ(queues_.log(), (Lines{"compute: a", "copy: b"}));
}

TEST_F(SimulatedQueuesTest, OneThatIsHeldDoesNotHoldTheOthers) {
  queues_.Hold(DeviceQueue::kCompute);
  Give(DeviceQueue::kCompute, "a");
  Give(DeviceQueue::kCommunication, "b");
  EXPECT_EQ(run_, Lines{"b"});
  queues_.Release(DeviceQueue::kCompute);
  EXPECT_EQ(run_, (Lines{"b", "a"}));
}

TEST_F(SimulatedQueuesTest, AQueueWaitsForAMarkAndNoFurther) {
  queues_.Hold(DeviceQueue::kCompute);
  Give(DeviceQueue::kCompute, "a");
  const auto mark = queues_.Record(DeviceQueue::kCompute);
  queues_.WaitFor(DeviceQueue::kCopy, *mark);
  Give(DeviceQueue::kCopy, "b");
  EXPECT_EQ(run_, Lines{});
  queues_.Release(DeviceQueue::kCompute);
  queues_.Hold(DeviceQueue::kCompute);
  Give(DeviceQueue::kCompute, "c");
  queues_.WaitFor(DeviceQueue::kCopy, *mark);
  Give(DeviceQueue::kCopy, "d");
  EXPECT_EQ(run_, (Lines{"a", "b", "d"}));
  EXPECT_EQ(queues_.log(),
            (Lines{"compute: a", "copy waits for compute", "copy: b",
                   "compute: c", "copy waits for compute", "copy: d"}));
}

TEST_F(SimulatedQueuesTest, OneFollowsWhatAnotherWasGivenByNow) {
  queues_.Hold(DeviceQueue::kCommunication);
  Give(DeviceQueue::kCommunication, "a");
  Follow(queues_, DeviceQueue::kCompute, DeviceQueue::kCommunication);
  Give(DeviceQueue::kCompute, "b");
  EXPECT_EQ(run_, Lines{});
  queues_.Release(DeviceQueue::kCommunication);
  EXPECT_EQ(run_, (Lines{"a", "b"}));
}

TEST_F(SimulatedQueuesTest, TheSourceOfACopyMayChangeAtOnce) {
  int from = 7, to = 0;
  queues_.Hold(DeviceQueue::kCopy);
  queues_.CopyFromHost(&to, &from, sizeof(int));
  from = 8;
  EXPECT_EQ(to, 0);
  queues_.Release(DeviceQueue::kCopy);
  EXPECT_EQ(to, 7);
  EXPECT_EQ(queues_.log(), Lines{"copy: 4 bytes"});
}

}  // namespace
}  // namespace lockstep
