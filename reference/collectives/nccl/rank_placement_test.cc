#include "reference/collectives/nccl/rank_placement.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr NcclFeatures kOld{.version = 22809, .multi_rank_gpu = true};
constexpr NcclFeatures kNotEnabled{.version = 23004, .multi_rank_gpu = false};
constexpr NcclFeatures kNew{.version = 23000, .multi_rank_gpu = true};

TEST(RankPlacementTest, OneRankAGpuIsAlwaysRight) {
  const std::vector<int> gpus = {3, 0, 1};
  for (const NcclFeatures& nccl : {kOld, kNotEnabled, kNew}) {
    EXPECT_NO_THROW(CheckRankPlacement(gpus, nccl));
  }
  EXPECT_NO_THROW(CheckRankPlacement({}, kOld));
}

TEST(RankPlacementTest, SharingAGpuNeedsANewNcclToldSo) {
  const std::vector<int> gpus = {0, 1, 1};
  EXPECT_NO_THROW(CheckRankPlacement(gpus, kNew));
  EXPECT_THROW(CheckRankPlacement(gpus, kNotEnabled), Error);
  try {
    CheckRankPlacement(gpus, kOld);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_STREQ(error.what(),
                 "[NcclCommunicator] ranks 1 and 2 are both on GPU 1; wanted "
                 "one rank a GPU, or NCCL 2.30 or later with "
                 "NCCL_MULTI_RANK_GPU_ENABLE=1, got NCCL 2.28.9 with it set");
  }
}

TEST(RankPlacementTest, TheEnvironmentMustSayOne) {
  constexpr char kVariable[] = "NCCL_MULTI_RANK_GPU_ENABLE";
  unsetenv(kVariable);
  EXPECT_FALSE(NcclMultiRankGpuEnabled());
  setenv(kVariable, "0", 1);
  EXPECT_FALSE(NcclMultiRankGpuEnabled());
  setenv(kVariable, "1", 1);
  EXPECT_TRUE(NcclMultiRankGpuEnabled());
  unsetenv(kVariable);
}

}  // namespace
}  // namespace lockstep
