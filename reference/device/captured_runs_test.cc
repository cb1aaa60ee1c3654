#include "reference/device/captured_runs.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "reference/device/counting_timers.h"
#include "reference/device/fake_gpu.h"
#include "reference/device/fake_queue.h"

namespace lockstep {
namespace {

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

}  // namespace
}  // namespace lockstep
