#include "benchmarks/workloads/replica_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/base/error.h"
#include "reference/device/device.h"

namespace lockstep::benchmarks {
namespace {

TEST(ReplicaDevicesTest, MakesAsManyCpusAsAreWanted) {
  EXPECT_EQ(ReplicaDevices("cpu", 3),
            (std::vector<std::string>{"CPU:0", "CPU:1", "CPU:2"}));
  EXPECT_NO_THROW(FindDevice("CPU:2"));
}

TEST(ReplicaDevicesTest, LeavesDevicesThatOthersUse) {
  ReplicaDevices("cpu", 4);
  EXPECT_EQ(ReplicaDevices("cpu", 2).size(), 2u);
  EXPECT_NO_THROW(FindDevice("CPU:3"));
}

// This program links no GPU backend, so there is none on any machine.
TEST(ReplicaDevicesTest, SaysWhyThereIsNoGpu) {
  try {
    ReplicaDevices("gpu", 2);
    FAIL() << "a GPU was found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    EXPECT_THAT(error.what(), testing::HasSubstr("no device GPU:0"));
  }
}

}  // namespace
}  // namespace lockstep::benchmarks
