#include "conformance/testees/reference/tested_devices.h"

#include <gtest/gtest.h>

#include "reference/base/error_testing.h"

namespace lockstep::conformance {
namespace {

TEST(TestedDevicesTest, CpusAreWhatProgramsNameThem) {
  const TestedDevices cpus;
  cpus.SetCount(3);
  EXPECT_EQ(cpus.kind_name(), "CPU");
  EXPECT_EQ(cpus.Names(),
            (std::vector<std::string>{"CPU:0", "CPU:1", "CPU:2"}));
  EXPECT_EQ(cpus.Translate("CPU:1"), "CPU:1");
}

TEST(TestedDevicesTest, OtherTextsStayToBeRefused) {
  EXPECT_EQ(TestedDevices().Translate("toaster"), "toaster");
}

// This program links no GPU backend, so there is none on any machine.
TEST(TestedDevicesTest, WithoutAGpuThereIsNothingToTest) {
  EXPECT_EQ(CodeOf([] { TestedDevices gpus(DeviceKind::kGpu); }),
            Code::kNotFound);
}

}  // namespace
}  // namespace lockstep::conformance
