#include "reference/device/device.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/fake_gpu.h"
#include "reference/device/gpu_backend.h"

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

TEST_F(DeviceTest, ThereIsOneCpuAtStart) {
  EXPECT_EQ(CpuNames(), std::vector<std::string>{"CPU:0"});
  EXPECT_EQ(Device::Current().name(), "CPU:0");
}

TEST_F(DeviceTest, AsManyAsAskedFor) {
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

TEST_F(DeviceTest, AtLeastOneIsWanted) {
  for (const int count : {0, -2}) {
    try {
      SetLogicalCpuDevices(count);
      FAIL() << "took " << count;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
    }
  }
}

TEST_F(DeviceTest, EverySpellingFindsTheSameDevice) {
  SetLogicalCpuDevices(2);
  Device& device = FindDevice("CPU:1");
  for (const char* name :
       {"cpu:1", "/cpu:1", "/CPU:1", "/device:CPU:1", "/device:cpu:1",
        "/job:localhost/replica:0/task:0/device:CPU:1"}) {
    EXPECT_EQ(&FindDevice(name), &device) << name;
  }
}

TEST_F(DeviceTest, AMissingDeviceIsNotFoundAndTheOthersAreNamed) {
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

TEST_F(DeviceTest, WithoutABackendTheMessageSaysSo) {
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

TEST_F(DeviceTest, ABackendsGpusComeFirst) {
  OneGpu backend;
  EXPECT_EQ(ListLogicalDevices().front(), &backend.gpu.device());
  EXPECT_EQ(&FindDevice("/device:GPU:0"), &backend.gpu.device());
  EXPECT_FALSE(FindDevice("GPU:0").on_host());
  EXPECT_TRUE(FindDevice("CPU:0").on_host());
  EXPECT_EQ(NotFoundMessage("GPU:1"),
            "[FindDevice] no device GPU:1, there are GPU:0, CPU:0 (only one "
            "was plugged in)");
}

TEST_F(DeviceTest, ABackendDividesItsGpus) {
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

TEST_F(DeviceTest, TheHostIsTheFirstCpuInAnyScope) {
  SetLogicalCpuDevices(2);
  DeviceScope scope(FindDevice("CPU:1"));
  EXPECT_EQ(&Device::Host(), &FindDevice("CPU:0"));
}

TEST_F(DeviceTest, OtherFormsAreInvalid) {
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

TEST_F(DeviceTest, ScopesNestAndBelongToTheirThread) {
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
