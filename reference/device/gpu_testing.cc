#include "reference/device/gpu_testing.h"

#include <cstdlib>
#include <string_view>

#include "reference/base/error.h"

namespace lockstep {
namespace {

bool GpuIsRequired() {
  const char* value = std::getenv("LOCKSTEP_REQUIRE_GPU");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

void GpuTest::SetUp() {
  try {
    gpu_ = &FindDevice("GPU:0");
  } catch (const Error& error) {
    ASSERT_EQ(error.code(), Code::kNotFound) << error.what();
    ASSERT_FALSE(GpuIsRequired()) << error.what();
    GTEST_SKIP() << error.what();
  }
}

void MultiGpuTest::SetUp() {
  GpuTest::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  for (Device* device : ListLogicalDevices()) {
    if (device->kind() == DeviceKind::kGpu) gpus_.push_back(device);
  }
  if (gpus_.size() > 1) return;
  constexpr char kWhy[] = "this machine has one GPU; the test needs two";
  ASSERT_FALSE(GpuIsRequired()) << kWhy;
  GTEST_SKIP() << kWhy;
}

void GpuTest::TearDown() {
  if (gpu_ != nullptr) SetLogicalGpuDevices(0, 1);
}

std::vector<Device*> GpuTest::DivideGpu(int count) {
  SetLogicalGpuDevices(0, count);
  std::vector<Device*> list = ListLogicalDevices();
  list.resize(count);
  return list;
}

}  // namespace lockstep
