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
  // The first is that of a cold stream.
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
  // Enqueues a run; counts how often it was asked to.
  void Run() {
    ++queued_;
    FakeGpu::StreamOf(gpu_.device()).Submit([this] { timers_.Count(1); });
  }

  // Runs that the fake GPU did.
  double done() const { return timers_.counted(); }

  FakeGpu gpu_;
  CountingTimers timers_;
  int queued_ = 0;
};

TEST_F(CapturedRunsTest, TheHostEnqueuesEachOnceBehindAFirstRun) {
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

class SimulatedStreamsTest : public testing::Test {
 protected:
  void Give(DeviceStream stream, const std::string& name) {
    streams_.Submit(stream, name, [this, name] { run_.push_back(name); });
  }

  SimulatedStreams streams_;
  Lines run_;
};

TEST_F(SimulatedStreamsTest, RunWhatTheyAreGivenAtOnce) {
  Give(DeviceStream::kCompute, "a");
  Give(DeviceStream::kCopy, "b");
  EXPECT_EQ(run_, (Lines{"a", "b"}));
  EXPECT_EQ(streams_.log(), (Lines{"compute: a", "copy: b"}));
}

TEST_F(SimulatedStreamsTest, OneThatIsHeldDoesNotHoldTheOthers) {
  streams_.Hold(DeviceStream::kCompute);
  Give(DeviceStream::kCompute, "a");
  Give(DeviceStream::kCommunication, "b");
  EXPECT_EQ(run_, Lines{"b"});
  streams_.Release(DeviceStream::kCompute);
  EXPECT_EQ(run_, (Lines{"b", "a"}));
}

TEST_F(SimulatedStreamsTest, AStreamWaitsForAnEventAndNoFurther) {
  streams_.Hold(DeviceStream::kCompute);
  Give(DeviceStream::kCompute, "a");
  const auto event = streams_.Record(DeviceStream::kCompute);
  streams_.WaitFor(DeviceStream::kCopy, *event);
  Give(DeviceStream::kCopy, "b");
  EXPECT_EQ(run_, Lines{});
  streams_.Release(DeviceStream::kCompute);
  streams_.Hold(DeviceStream::kCompute);
  Give(DeviceStream::kCompute, "c");
  streams_.WaitFor(DeviceStream::kCopy, *event);
  Give(DeviceStream::kCopy, "d");
  EXPECT_EQ(run_, (Lines{"a", "b", "d"}));
  EXPECT_EQ(streams_.log(),
            (Lines{"compute: a", "copy waits for compute", "copy: b",
                   "compute: c", "copy waits for compute", "copy: d"}));
}

TEST_F(SimulatedStreamsTest, OneFollowsWhatAnotherWasGivenByNow) {
  streams_.Hold(DeviceStream::kCommunication);
  Give(DeviceStream::kCommunication, "a");
  Follow(streams_, DeviceStream::kCompute, DeviceStream::kCommunication);
  Give(DeviceStream::kCompute, "b");
  EXPECT_EQ(run_, Lines{});
  streams_.Release(DeviceStream::kCommunication);
  EXPECT_EQ(run_, (Lines{"a", "b"}));
}

TEST_F(SimulatedStreamsTest, TheSourceOfACopyMayChangeAtOnce) {
  int from = 7, to = 0;
  streams_.Hold(DeviceStream::kCopy);
  streams_.CopyFromHost(&to, &from, sizeof(int));
  from = 8;
  EXPECT_EQ(to, 0);
  streams_.Release(DeviceStream::kCopy);
  EXPECT_EQ(to, 7);
  EXPECT_EQ(streams_.log(), Lines{"copy: 4 bytes"});
}

}  // namespace
}  // namespace lockstep
