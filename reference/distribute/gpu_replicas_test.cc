// Strategies over GPUs, where the machine's are fakes.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/device/fake_gpu_backend.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/kernels/concat.h"

namespace lockstep {
namespace {

class GpuReplicasTest : public testing::Test {
 protected:
  std::unique_ptr<MirroredStrategy> Make(
      const std::vector<std::string>& devices) {
    LogCapture quiet;
    return std::make_unique<MirroredStrategy>(devices);
  }
  std::string WhyInvalid(const std::vector<std::string>& devices) {
    try {
      Make(devices);
      return "no error";
    } catch (const Error& error) {
      return error.code() == Code::kInvalidArgument ? error.what() : "other";
    }
  }

  FakeGpuCollectives fake_{2};
  FakeGpuBackend backend_{{&fake_.gpu(0), &fake_.gpu(1)}};
};

TEST_F(GpuReplicasTest, AListOfCpusAndGpusIsRefused) {
  EXPECT_EQ(
      WhyInvalid({"CPU:0", "GPU:0"}),
      "[MirroredStrategy] devices must be all CPUs or all GPUs, got CPU:0 "
      "and GPU:0");
  EXPECT_EQ(
      WhyInvalid({"GPU:0", "GPU:1", "CPU:0"}),
      "[MirroredStrategy] devices must be all CPUs or all GPUs, got GPU:0 "
      "and CPU:0");
}

TEST_F(GpuReplicasTest, AGpuTwiceIsRefused) {
  EXPECT_EQ(WhyInvalid({"GPU:1", "gpu:1"}),
            "[MirroredStrategy] no duplicates allowed in `devices`, got GPU:1 "
            "twice");
}

TEST_F(GpuReplicasTest, WithoutAListAllGpusAreUsed) {
  LogCapture quiet;
  const MirroredStrategy strategy;
  EXPECT_EQ(strategy.devices(),
            (std::vector<Device*>{&fake_.gpu(0), &fake_.gpu(1)}));
}

TEST_F(GpuReplicasTest, TheAllReduceIsTheOneForTheDevices) {
  EXPECT_EQ(Make({"GPU:0"})->group()->cross_device_ops->name(),
            "SharedMemoryAllReduce");
  EXPECT_EQ(Make({"GPU:0", "GPU:1"})->group()->cross_device_ops->name(),
            "HierarchicalCopyAllReduce");
  EXPECT_EQ(Make({"CPU:0"})->group()->cross_device_ops->name(),
            "SharedMemoryAllReduce");
}

TEST_F(GpuReplicasTest, ReplicasReduceOnTheirGpus) {
  const auto strategy = Make({"GPU:0", "GPU:1"});
  const PerReplica<Tensor> sums = strategy->Run([] {
    const float id = GetReplicaContext().replica_id_in_sync_group();
    return GetReplicaContext().AllReduce(ReduceOp::kSum, Row({id, 4}));
  });
  for (int r : {0, 1}) {
    EXPECT_EQ(&sums[r].device(), &fake_.gpu(r));
    EXPECT_EQ(sums[r].ToVector<float>(), (std::vector<float>{1, 8}));
  }
}

// Joins as the GPU's kernel would: of tensors on one GPU alone.
Tensor ConcatOnOneGpu(std::span<const Tensor> tensors, int axis, const Shape&) {
  std::vector<Tensor> parts;
  for (const Tensor& tensor : tensors) parts.push_back(tensor.ToHost());
  return kernels::Concat(parts, axis).To(tensors[0].device());
}

TEST_F(GpuReplicasTest, GatherJoinsWhatLiesOnSeveralGpus) {
  const auto before = kernels::gpu::Concat.Set(&ConcatOnOneGpu);
  const auto strategy = Make({"GPU:0", "GPU:1"});
  const PerReplica<Tensor> rows = strategy->Run([] {
    const float id = GetReplicaContext().replica_id_in_sync_group();
    return Row({id, id + 5});
  });
  const Tensor joined = strategy->Gather(rows, 0);
  EXPECT_EQ(&joined.device(), &fake_.gpu(0));
  EXPECT_EQ(joined.ToVector<float>(), (std::vector<float>{0, 5, 1, 6}));
  const PerReplica<Tensor> all = strategy->Run([] {
    const float id = GetReplicaContext().replica_id_in_sync_group();
    return GetReplicaContext().AllGather(Row({id}), 0);
  });
  for (int r : {0, 1}) {
    EXPECT_EQ(&all[r].device(), &fake_.gpu(r));
    EXPECT_EQ(all[r].ToVector<float>(), (std::vector<float>{0, 1}));
  }
  kernels::gpu::Concat.Set(before);
}

TEST_F(GpuReplicasTest, BroadcastGivesEveryGpuACopy) {
  const auto strategy = Make({"GPU:0", "GPU:1"});
  const PerReplica<Tensor> copies = strategy->Run([] {
    const float id = GetReplicaContext().replica_id_in_sync_group();
    return GetReplicaContext().Broadcast(Row({id + 3}), 1);
  });
  for (int r : {0, 1}) {
    EXPECT_EQ(&copies[r].device(), &fake_.gpu(r));
    EXPECT_EQ(copies[r].ToVector<float>(), std::vector<float>{4});
  }
}

TEST_F(GpuReplicasTest, AValueAssignedToASumIsDividedAmongTheGpus) {
  const auto strategy = Make({"GPU:0", "GPU:1"});
  const VariablePtr variable = MakeIn(*strategy, 0, VariableAggregation::kSum,
                                      VariableSynchronization::kOnRead);
  variable->Assign(Tensor::Scalar(6.0f, fake_.gpu(1)));
  const PerReplica<Tensor> shares =
      strategy->Run([&] { return variable->Read(); });
  for (int r : {0, 1}) EXPECT_EQ(shares[r].item<float>(), 3);
  EXPECT_EQ(variable->Read().item<float>(), 6);
}

// Finds out only behind the work that something went wrong, as NCCL does.
class FailsLater : public CrossDeviceOps {
 public:
  std::string_view name() const override { return "FailsLater"; }
  int steps(int) const override { return 1; }
  void RunStep(int, int, const Reduction&) const override {}
  void Check() const override {
    throw Unavailable("[AllReduce] {}", "a GPU fell off the bus");
  }
};

TEST_F(GpuReplicasTest, RunReportsWhatFailedInTheQueues) {
  LogCapture quiet;
  MirroredStrategy strategy(
      {"GPU:0", "GPU:1"}, {.cross_device_ops = std::make_shared<FailsLater>()});
  EXPECT_EQ(CodeOf([&] { strategy.Run([] { return Row({1}); }); }),
            Code::kUnavailable);
}

}  // namespace
}  // namespace lockstep
