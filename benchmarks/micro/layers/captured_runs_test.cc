#include "benchmarks/micro/layers/captured_runs.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "reference/device/fake_gpu.h"
#include "reference/device/fake_queue.h"

namespace lockstep::benchmarks {
namespace {

int done = 0;  // runs that the fake GPU did

// Its seconds are the runs between the marks.
class CountingTimer final : public DeviceTimer {
 public:
  void Begin() override { begin_ = done; }
  void Mark() override {
    rows_.push_back({{}, {static_cast<double>(done - begin_)}});
  }
  std::vector<Row> TakeReached() override { return std::exchange(rows_, {}); }

 private:
  int begin_ = 0;
  std::vector<Row> rows_;
};

class CapturedRunsTest : public testing::Test {
 protected:
  CapturedRunsTest()
      : previous_(gpu::MakeDeviceTimer.Set(
            [](Device&, int) -> std::unique_ptr<DeviceTimer> {
              return std::make_unique<CountingTimer>();
            })) {
    done = 0;
  }
  ~CapturedRunsTest() override { gpu::MakeDeviceTimer.Set(previous_); }

  // Queues a run; counts how often it was asked to.
  void Run() {
    ++queued_;
    FakeGpu::QueueOf(gpu_.device()).Submit([] { ++done; });
  }

  FakeGpu gpu_;
  int queued_ = 0;

 private:
  const decltype(gpu::MakeDeviceTimer)::Function previous_;
};

TEST_F(CapturedRunsTest, TheHostQueuesEachOnceBehindAFirstRun) {
  CapturedRuns runs(gpu_.device(), 3, [this] { Run(); });
  EXPECT_EQ(queued_, 1 + 3);
  EXPECT_EQ(done, 1 + 3);
  runs.Seconds();
  runs.Seconds();
  EXPECT_EQ(queued_, 1 + 3);
  EXPECT_EQ(done, 1 + 3 + 2 * (3 + 3));
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
  EXPECT_EQ(done, 1);  // what was captured is thrown away
  Run();
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace lockstep::benchmarks
