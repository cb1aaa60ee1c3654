// A program with the GPU backend starts on a machine without a GPU; requesting
// a GPU is an error.
#include <gtest/gtest.h>

#include <string>

#include "reference/base/error.h"
#include "reference/device/device.h"

namespace lockstep {
namespace {

bool HasGpu() { return ListLogicalDevices()[0]->kind() == DeviceKind::kGpu; }

std::string MessageOf(void (*call)()) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(NoGpuTest, TheCpuIsPresent) {
  EXPECT_EQ(FindDevice("CPU:0").name(), "CPU:0");
}

TEST(NoGpuTest, RequestingAGpuReportsThatThereIsNone) {
  if (HasGpu()) GTEST_SKIP() << "there is a GPU";
  const std::string message = MessageOf([] { FindDevice("GPU:0"); });
  EXPECT_NE(message.find("(no CUDA device: "), std::string::npos) << message;
}

TEST(NoGpuTest, DividingAGpuReportsThatThereIsNone) {
  if (HasGpu()) GTEST_SKIP() << "there is a GPU";
  const std::string message = MessageOf([] { SetLogicalGpuDevices(0, 2); });
  EXPECT_NE(message.find("[SetLogicalGpuDevices] no GPU 0 (no CUDA device: "),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace lockstep
