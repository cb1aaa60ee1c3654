#include "reference/collectives/choose_cross_device_ops.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/collectives/reduction_to_one_device.h"

namespace lockstep {
namespace {

constexpr std::optional<NcclFeatures> kNone;
constexpr NcclFeatures kOld{.version = 22809, .multi_rank_gpu = true};
constexpr NcclFeatures kNew{.version = 23001, .multi_rank_gpu = true};

TEST(ChooseCrossDeviceOpsTest, FollowsTheTableOfTheHeader) {
  constexpr auto kShared = CrossDeviceOpsKind::kSharedMemory;
  constexpr auto kHierarchical = CrossDeviceOpsKind::kHierarchicalCopy;
  constexpr auto kNccl = CrossDeviceOpsKind::kNccl;
  struct Case {
    std::vector<int> gpus;
    CrossDeviceOpsKind without, with_old, with_new;
  };
  const std::vector<Case> cases = {
      {{}, kShared, kShared, kShared},         // CPUs
      {{2}, kShared, kShared, kShared},        // one replica
      {{0, 0, 0}, kShared, kShared, kShared},  // logical devices of one GPU
      {{0, 1}, kHierarchical, kNccl, kNccl},   // one GPU each
      {{3, 1, 2, 0}, kHierarchical, kNccl, kNccl},
      {{0, 0, 1, 1}, kHierarchical, kHierarchical, kNccl}};
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::PrintToString(c.gpus));
    EXPECT_EQ(ChooseCrossDeviceOps(c.gpus, kNone), c.without);
    EXPECT_EQ(ChooseCrossDeviceOps(c.gpus, kOld), c.with_old);
    EXPECT_EQ(ChooseCrossDeviceOps(c.gpus, kNew), c.with_new);
  }
}

TEST(ChooseCrossDeviceOpsTest, MakesWhatItChose) {
  Device cpu(DeviceKind::kCpu, 0);
  EXPECT_EQ(MakeCrossDeviceOps({&cpu, &cpu})->name(), "SharedMemoryAllReduce");
  FakeGpuCollectives fake(2);
  const std::vector<Device*> gpus = {&fake.gpu(0), &fake.gpu(1)};
  EXPECT_EQ(MakeCrossDeviceOps(gpus)->name(), "HierarchicalCopyAllReduce");
  fake.nccl = kOld;
  fake.nccl_ops = std::make_shared<ReductionToOneDevice>();
  EXPECT_EQ(MakeCrossDeviceOps(gpus), fake.nccl_ops);
  fake.physical = {4, 4};
  EXPECT_EQ(MakeCrossDeviceOps(gpus)->name(), "SharedMemoryAllReduce");
}

TEST(ChooseCrossDeviceOpsTest, GpusWithoutABackendAreUnimplemented) {
  FakeGpu gpu;
  try {
    MakeCrossDeviceOps({&gpu.device()});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kUnimplemented);
  }
}

}  // namespace
}  // namespace lockstep
