// Reductions between GPUs. Skipped on a machine with one GPU.
#include "reference/collectives/collectives_testing.h"
#include "reference/collectives/cuda/collectives_gpu_testing.h"
#include "reference/device/gpu_testing.h"

namespace lockstep {
namespace {

using CollectivesMultiGpuTest = CollectivesGpuFixture<MultiGpuTest>;

// Small integers: every order of additions gives the same sum.
std::vector<Tensor> WholeNumbers(int rank, Device& device) {
  return {Tensor::Full(Shape{5}, static_cast<float>(rank + 1), device),
          Tensor::Full<int32_t>(Shape{70001}, rank + 2, device)};
}

TEST_F(CollectivesMultiGpuTest, NcclSums) {
  const auto ranks = static_cast<int64_t>(gpus().size());
  const auto rendezvous = std::make_shared<Rendezvous>(ranks);
  auto groups = MakeGroups(gpus(), nullptr, rendezvous);
  EXPECT_EQ(groups[0]->algorithm(), "NcclAllReduce");
  const Lists sums =
      AllReduceTogether(Ranks(rendezvous, std::move(groups)), ReduceOp::kSum,
                        MakeLists(gpus(), WholeNumbers));
  for (int64_t r = 0; r < ranks; ++r) {
    EXPECT_EQ(sums[r][0].at<float>(4), ranks * (ranks + 1) / 2);
    EXPECT_EQ(sums[r][1].at<int32_t>(70000), ranks * (ranks + 3) / 2);
  }
}

TEST_F(CollectivesMultiGpuTest, EveryAlgorithmGivesTheHostsBits) {
  for (const auto& ops : AllAlgorithms()) {
    ExpectHostsBits(ops, ReduceOp::kSum, gpus(), WholeNumbers);
  }
}

}  // namespace
}  // namespace lockstep
