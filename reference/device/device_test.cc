#include "reference/device/device.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/device_kernel.h"
#include "reference/device/device_timer.h"
#include "reference/device/fake_gpu.h"
#include "reference/device/gpu_backend.h"
#include "reference/device/kernel_scope.h"

namespace lockstep {
namespace {

// A backend with one GPU while it lives.
class OneGpu final : public device_internal::GpuBackend {
 public:
  OneGpu() { device_internal::SetGpuBackend(this); }
  ~OneGpu() override { device_internal::SetGpuBackend(nullptr); }

  std::vector<Device*> List() override { return {&gpu.device()}; }
  std::string WhyNoGpu() override { return "only one was plugged in"; }
  void SetLogicalDevices(int gpu, int count) override { asked = {gpu, count}; }

  FakeGpu gpu;
  std::vector<int> asked;
};

std::string NotFoundMessage(const std::string& name) {
  try {
    FindDevice(name);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    return error.what();
  }
  ADD_FAILURE() << "found " << name;
  return "";
}

std::vector<std::string> CpuNames() {
  std::vector<std::string> names;
  for (Device* device : ListLogicalDevices()) {
    if (device->kind() == DeviceKind::kCpu) names.push_back(device->name());
  }
  return names;
}

class DeviceTest : public testing::Test {
 protected:
  void TearDown() override { SetLogicalCpuDevices(1); }
};

TEST_F(DeviceTest, OneCpuAtStart) {
  EXPECT_EQ(CpuNames(), std::vector<std::string>{"CPU:0"});
  EXPECT_EQ(Device::Current().name(), "CPU:0");
}

// In a process of its own: the other tests set the number of devices.
TEST(NewProcessDeathTest, MakesCpuDevicesThatAreNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const bool made = FindDevice("CPU:2").name() == "CPU:2" &&
                          ListLogicalDevices().size() == 3;
        FindDevice("CPU:1");
        const bool kept = ListLogicalDevices().size() == 3;
        std::exit(made && kept ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        const std::string refusal = NotFoundMessage("CPU:64");
        std::exit(refusal.find("there are CPU:0 (a name makes at most 64") !=
                          std::string::npos
                      ? 0
                      : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(DeviceTest, SetsTheNumberOfCpus) {
  SetLogicalCpuDevices(3);
  EXPECT_EQ(CpuNames(), (std::vector<std::string>{"CPU:0", "CPU:1", "CPU:2"}));
  Device& third = FindDevice("CPU:2");
  EXPECT_EQ(third.index(), 2);
  SetLogicalCpuDevices(2);
  EXPECT_EQ(CpuNames().size(), 2u);
  EXPECT_EQ(third.name(), "CPU:2");  // stays valid
  SetLogicalCpuDevices(3);
  EXPECT_EQ(&FindDevice("CPU:2"), &third);
}

TEST_F(DeviceTest, RefusesLessThanOneCpu) {
  for (const int count : {0, -2}) {
    try {
      SetLogicalCpuDevices(count);
      FAIL() << "took " << count;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
    }
  }
}

TEST_F(DeviceTest, AcceptsEverySpelling) {
  SetLogicalCpuDevices(2);
  Device& device = FindDevice("CPU:1");
  for (const char* name :
       {"cpu:1", "/cpu:1", "/CPU:1", "/device:CPU:1", "/device:cpu:1",
        "/job:localhost/replica:0/task:0/device:CPU:1"}) {
    EXPECT_EQ(&FindDevice(name), &device) << name;
  }
}

TEST_F(DeviceTest, NotFoundListsTheDevices) {
  SetLogicalCpuDevices(2);
  for (const char* name : {"CPU:7", "GPU:99"}) {
    try {
      FindDevice(name);
      FAIL() << "found " << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kNotFound);
      const std::string message = error.what();
      EXPECT_NE(message.find(name), std::string::npos) << message;
      EXPECT_NE(message.find("CPU:0, CPU:1"), std::string::npos) << message;
    }
  }
}

TEST_F(DeviceTest, NotFoundNamesTheMissingBackend) {
  EXPECT_EQ(NotFoundMessage("GPU:0"),
            "[FindDevice] no device GPU:0, there are CPU:0 (no CUDA device: "
            "this program was built without the CUDA backend)");
  try {
    SetLogicalGpuDevices(0, 2);
    FAIL() << "divided a GPU that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    EXPECT_EQ(std::string(error.what()).find("[SetLogicalGpuDevices] no GPU 0"),
              0u)
        << error.what();
  }
}

TEST_F(DeviceTest, GpusComeFirst) {
  OneGpu backend;
  EXPECT_EQ(ListLogicalDevices().front(), &backend.gpu.device());
  EXPECT_EQ(&FindDevice("/device:GPU:0"), &backend.gpu.device());
  EXPECT_FALSE(FindDevice("GPU:0").on_host());
  EXPECT_TRUE(FindDevice("CPU:0").on_host());
  EXPECT_EQ(NotFoundMessage("GPU:1"),
            "[FindDevice] no device GPU:1, there are GPU:0, CPU:0 (only one "
            "was plugged in)");
}

TEST_F(DeviceTest, DividesGpus) {
  OneGpu backend;
  SetLogicalGpuDevices(0, 3);
  EXPECT_EQ(backend.asked, (std::vector<int>{0, 3}));
  try {
    SetLogicalGpuDevices(0, 0);
    FAIL() << "took 0";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
  }
}

TEST_F(DeviceTest, HostIsTheFirstCpu) {
  SetLogicalCpuDevices(2);
  DeviceScope scope(FindDevice("CPU:1"));
  EXPECT_EQ(&Device::Host(), &FindDevice("CPU:0"));
}

TEST_F(DeviceTest, RefusesOtherForms) {
  for (const char* name : {"", "CPU", "CPU:", "CPU:x", "CPU:-1", "CPU:1x",
                           "TPU:0", "xCPU:0", "CPU:99999999999999999999"}) {
    try {
      FindDevice(name);
      FAIL() << "found '" << name << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument) << name;
    }
  }
}

TEST_F(DeviceTest, ScopesNestPerThread) {
  SetLogicalCpuDevices(3);
  DeviceScope outer(FindDevice("CPU:1"));
  {
    DeviceScope inner(FindDevice("CPU:2"));
    EXPECT_EQ(Device::Current().name(), "CPU:2");
    std::jthread([] { EXPECT_EQ(Device::Current().name(), "CPU:0"); }).join();
  }
  EXPECT_EQ(Device::Current().name(), "CPU:1");
}

}  // namespace
}  // namespace lockstep

namespace lockstep::device_internal {
namespace {

// "GPU:1 on 0" for each listed device.
class LogicalGpusTest : public testing::Test {
 protected:
  std::unique_ptr<Device> Make(int gpu, int index) {
    auto device = std::make_unique<Device>(DeviceKind::kGpu, index);
    made_.push_back(device->name() + " on " + std::to_string(gpu));
    return device;
  }

  LogicalGpus With(int gpus) {
    return LogicalGpus(gpus,
                       [this](int gpu, int index) { return Make(gpu, index); });
  }

  std::vector<std::string> made_;
};

std::vector<std::string> Names(const std::vector<Device*>& devices) {
  std::vector<std::string> names;
  for (const Device* device : devices) names.push_back(device->name());
  return names;
}

TEST_F(LogicalGpusTest, OneDevicePerGpuAtStart) {
  LogicalGpus gpus = With(2);
  EXPECT_TRUE(made_.empty());  // devices are made when they are listed
  EXPECT_EQ(Names(gpus.List()), (std::vector<std::string>{"GPU:0", "GPU:1"}));
  EXPECT_EQ(made_, (std::vector<std::string>{"GPU:0 on 0", "GPU:1 on 1"}));
}

TEST_F(LogicalGpusTest, NumbersDevicesOverAllGpus) {
  LogicalGpus gpus = With(2);
  gpus.SetCount(0, 2);
  EXPECT_EQ(gpus.List().size(), 3u);
  EXPECT_EQ(made_, (std::vector<std::string>{"GPU:0 on 0", "GPU:1 on 0",
                                             "GPU:2 on 1"}));
}

TEST_F(LogicalGpusTest, MakesADeviceOnce) {
  LogicalGpus gpus = With(1);
  gpus.SetCount(0, 2);
  const std::vector<Device*> both = gpus.List();
  gpus.SetCount(0, 1);
  EXPECT_EQ(gpus.List(), std::vector<Device*>{both[0]});
  EXPECT_EQ(both[1]->name(), "GPU:1");
  gpus.SetCount(0, 2);
  EXPECT_EQ(gpus.List(), both);
  EXPECT_EQ(made_.size(), 2u);
}

TEST_F(LogicalGpusTest, RenumberedDevicesAreNew) {
  LogicalGpus gpus = With(2);
  Device* second_gpu = gpus.List()[1];
  gpus.SetCount(0, 2);
  const std::vector<Device*> three = gpus.List();
  EXPECT_NE(three[1], second_gpu);
  EXPECT_NE(three[2], second_gpu);
  EXPECT_EQ(three[2]->name(), "GPU:2");
  EXPECT_EQ(second_gpu->name(), "GPU:1");
}

TEST_F(LogicalGpusTest, ListsTheDevicesOfAGpu) {
  LogicalGpus gpus = With(2);
  gpus.SetCount(0, 2);
  const std::vector<Device*> three = gpus.List();
  gpus.SetCount(0, 1);
  EXPECT_EQ(gpus.MadeOn(0), (std::vector<Device*>{three[0], three[1]}));
  EXPECT_EQ(gpus.MadeOn(1), std::vector<Device*>{three[2]});
}

TEST_F(LogicalGpusTest, MissingGpuIsNotFound) {
  LogicalGpus gpus = With(2);
  for (const int gpu : {-1, 2}) {
    try {
      gpus.SetCount(gpu, 1);
      FAIL() << "took " << gpu;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kNotFound);
      EXPECT_EQ(std::string(error.what()), "[SetLogicalGpuDevices] no GPU " +
                                               std::to_string(gpu) +
                                               ", this machine has 2");
    }
  }
}

}  // namespace
}  // namespace lockstep::device_internal

namespace lockstep {
namespace {

constinit DeviceKernel<int(const std::string&, int)> Measure{"Measure"};

int Length(const std::string& text, int offset) {
  return static_cast<int>(text.size()) + offset;
}

TEST(DeviceKernelTest, EmptyIsUnimplemented) {
  EXPECT_TRUE(Measure.empty());
  try {
    Measure("", 1);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kUnimplemented);
    EXPECT_STREQ(error.what(),
                 "[Measure] has no kernel for GPUs in this program");
  }
}

TEST(DeviceKernelTest, CallsTheRegisteredFunction) {
  const RegisterKernel registered(Measure, &Length);
  EXPECT_FALSE(Measure.empty());
  EXPECT_EQ(Measure("ab", 40), 42);
  EXPECT_EQ(Measure.Set(nullptr), &Length);
  EXPECT_TRUE(Measure.empty());
}

using std::chrono::microseconds;

TEST(ClockReadingTest, ShortestWaitCounts) {
  // The first is a cold stream's.
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
  // Enqueues a run and counts the calls.
  void Run() {
    ++queued_;
    FakeGpu::StreamOf(gpu_.device()).Submit([this] { timers_.Count(1); });
  }

  // Runs that the fake GPU has done.
  double done() const { return timers_.counted(); }

  FakeGpu gpu_;
  CountingTimers timers_;
  int queued_ = 0;
};

TEST_F(CapturedRunsTest, EnqueuesEachRunOnceAfterAFirstOne) {
  CapturedRuns runs(gpu_.device(), 3, [this] { Run(); });
  EXPECT_EQ(queued_, 1 + 3);
  EXPECT_EQ(done(), 1 + 3);
  runs.Seconds();
  runs.Seconds();
  EXPECT_EQ(queued_, 1 + 3);
  EXPECT_EQ(done(), 1 + 3 + 2 * (3 + 3));
}

TEST_F(CapturedRunsTest, TimesAllRunsOfOneLaunch) {
  CapturedRuns runs(gpu_.device(), 4, [this] { Run(); });
  EXPECT_EQ(runs.Seconds(), 4);
  EXPECT_EQ(runs.Seconds(), 4);
}

TEST_F(CapturedRunsTest, DeviceIsUsableAfterAFailedCapture) {
  const auto fail_later = [this] {
    if (queued_ == 2) throw std::runtime_error("no such layer");
    Run();
  };
  EXPECT_THROW(CapturedRuns(gpu_.device(), 2, fail_later), std::runtime_error);
  EXPECT_EQ(done(), 1);  // the captured work is discarded
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

TEST_F(SimulatedStreamsTest, RunWorkAtOnce) {
  Give(DeviceStream::kCompute, "a");
  Give(DeviceStream::kCopy, "b");
  EXPECT_EQ(run_, (Lines{"a", "b"}));
  EXPECT_EQ(streams_.log(), (Lines{"compute: a", "copy: b"}));
}

TEST_F(SimulatedStreamsTest, HoldAffectsOneStream) {
  streams_.Hold(DeviceStream::kCompute);
  Give(DeviceStream::kCompute, "a");
  Give(DeviceStream::kCommunication, "b");
  EXPECT_EQ(run_, Lines{"b"});
  streams_.Release(DeviceStream::kCompute);
  EXPECT_EQ(run_, (Lines{"b", "a"}));
}

TEST_F(SimulatedStreamsTest, WaitsForAnEventOnly) {
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

TEST_F(SimulatedStreamsTest, FollowWaitsForEarlierWork) {
  streams_.Hold(DeviceStream::kCommunication);
  Give(DeviceStream::kCommunication, "a");
  Follow(streams_, DeviceStream::kCompute, DeviceStream::kCommunication);
  Give(DeviceStream::kCompute, "b");
  EXPECT_EQ(run_, Lines{});
  streams_.Release(DeviceStream::kCommunication);
  EXPECT_EQ(run_, (Lines{"a", "b"}));
}

TEST_F(SimulatedStreamsTest, SourceOfACopyMayChangeAtOnce) {
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
