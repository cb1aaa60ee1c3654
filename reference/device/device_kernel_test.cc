#include "reference/device/device_kernel.h"

#include <gtest/gtest.h>

#include <string>

#include "reference/base/error.h"

namespace lockstep {
namespace {

constinit DeviceKernel<int(const std::string&, int)> Measure{"Measure"};

int Length(const std::string& text, int offset) {
  return static_cast<int>(text.size()) + offset;
}

TEST(DeviceKernelTest, AnEmptyOneIsUnimplemented) {
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

TEST(DeviceKernelTest, ARegisteredFunctionIsCalled) {
  const RegisterKernel registered(Measure, &Length);
  EXPECT_FALSE(Measure.empty());
  EXPECT_EQ(Measure("ab", 40), 42);
  EXPECT_EQ(Measure.Set(nullptr), &Length);
  EXPECT_TRUE(Measure.empty());
}

}  // namespace
}  // namespace lockstep
