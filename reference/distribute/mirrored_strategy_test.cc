#include "reference/distribute/mirrored_strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/threads.h"
#include "reference/collectives/fake_gpu_collectives.h"
#include "reference/collectives/in_process_group.h"
#include "reference/device/fake_gpu.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/kernels/movement/movement.h"

namespace lockstep {
namespace {

TEST(MirroredStrategyTest, UsesAllLogicalCpusWithoutAGpu) {
  SetLogicalCpuDevices(5);
  LogCapture log;
  MirroredStrategy strategy;
  EXPECT_EQ(strategy.num_replicas_in_sync(), 5);
  EXPECT_EQ(log.lines(),
            (std::vector<std::string>{"I Using MirroredStrategy with devices "
                                      "(CPU:0, CPU:1, CPU:2, CPU:3, CPU:4)"}));
}

TEST(MirroredStrategyTest, UsesAllDevicesWithoutAList) {
  SetLogicalCpuDevices(3);
  LogCapture quiet;
  EXPECT_EQ(MirroredStrategy().num_replicas_in_sync(), 3);
}

TEST(MirroredStrategyTest, TakesDeviceNamesInAnyForm) {
  SetLogicalCpuDevices(3);
  LogCapture quiet;
  MirroredStrategy strategy({"/cpu:2", "CPU:0"});
  ASSERT_EQ(strategy.devices().size(), 2);
  EXPECT_EQ(strategy.devices()[0]->name(), "CPU:2");
  EXPECT_EQ(strategy.devices()[1]->name(), "CPU:0");
}

TEST(MirroredStrategyTest, RefusesBadDevices) {
  SetLogicalCpuDevices(2);
  const auto code = [](const std::vector<std::string>& devices) {
    return CodeOf([&] { MirroredStrategy strategy(devices); });
  };
  EXPECT_EQ(code({}), Code::kInvalidArgument);
  EXPECT_EQ(code({"CPU:0", "CPU:0"}), Code::kInvalidArgument);
  EXPECT_EQ(code({"CPU:0", "cpu:0"}), Code::kInvalidArgument);
  EXPECT_EQ(code({"CPU:0", "CPU:17"}), Code::kNotFound);
  EXPECT_EQ(code({"toaster"}), Code::kInvalidArgument);
  EXPECT_EQ(code({"CPU:0", "GPU:99"}), Code::kNotFound);
  EXPECT_EQ(CodeOf([] {
              MirroredStrategy strategy(
                  MirroredStrategyOptions{.threads_per_replica = -1});
            }),
            Code::kInvalidArgument);
}

TEST(MirroredStrategyTest, ReplicasShareTheCores) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  EXPECT_EQ(MakeStrategy(1)->threads_per_replica(), cores);
  EXPECT_EQ(MakeStrategy(cores + 1)->threads_per_replica(), 1);
  EXPECT_EQ(MakeStrategy(2, {.threads_per_replica = 3})->threads_per_replica(),
            3);
}

class MirroredStrategyRunTest : public testing::TestWithParam<int> {
 protected:
  const int replicas_ = GetParam();
  std::unique_ptr<MirroredStrategy> strategy_ = MakeStrategy(replicas_);
};

TEST_P(MirroredStrategyRunTest, EachReplicaGetsItsComponent) {
  // a + b + replica id, as documented: a plain, b distributed.
  std::vector<int> parts;
  for (int r = 0; r < replicas_; ++r) parts.push_back(10 * r);
  const PerReplica<int> b(parts);
  const PerReplica<int> sums = strategy_->Run(
      [](int a, int b) {
        return a + b + GetReplicaContext().replica_id_in_sync_group().value();
      },
      1, b);
  for (int r = 0; r < replicas_; ++r) EXPECT_EQ(sums[r], 1 + 11 * r);
}

TEST_P(MirroredStrategyRunTest, TakesNestsOfDistributedValues) {
  std::vector<Tensor> rows;
  for (int r = 0; r < replicas_; ++r) rows.push_back(Row({1.0f * r}));
  const auto nest = Nest<PerReplica<Tensor>>::Dict({{"x", Tensors(rows)}});
  const PerReplica<Tensor> got = strategy_->Run(
      [](const Structure& element) { return element["x"].leaf(); }, nest);
  for (int r = 0; r < replicas_; ++r) EXPECT_EQ(got[r].at<float>(0), r);
}

TEST_P(MirroredStrategyRunTest, ReplicasHaveFixedThreads) {
  const auto where = [&] {
    EXPECT_EQ(&Device::Current(), GetReplicaContext().devices().at(0));
    EXPECT_EQ(CurrentTeamSize(), strategy_->threads_per_replica());
    return std::this_thread::get_id();
  };
  const PerReplica<std::thread::id> first = strategy_->Run(where);
  const PerReplica<std::thread::id> second = strategy_->Run(where);
  EXPECT_EQ(first.values(), second.values());
  const std::set<std::thread::id> distinct(first.begin(), first.end());
  EXPECT_EQ(static_cast<int>(distinct.size()), replicas_);
  EXPECT_FALSE(distinct.contains(std::this_thread::get_id()));
}

TEST_P(MirroredStrategyRunTest, InstallsTheReplicasContext) {
  strategy_->Run([&] {
    EXPECT_TRUE(HasStrategy());
    EXPECT_FALSE(InCrossReplicaContext());
    EXPECT_EQ(&GetStrategy(), strategy_.get());
    EXPECT_EQ(GetReplicaContext().num_replicas_in_sync(), replicas_);
    EXPECT_EQ(GetReplicaContext().devices().size(), 1);
  });
}

TEST_P(MirroredStrategyRunTest, ManyRunsInARow) {
  // Fewer if threads share cores: each hand-over then waits.
  const int runs = replicas_ <= 2 ? 1000 : 200;
  int64_t total = 0;
  for (int i = 0; i < runs; ++i) {
    for (int value : strategy_->Run([](int x) { return x; }, i)) total += value;
  }
  EXPECT_EQ(total, int64_t{runs} * (runs - 1) / 2 * replicas_);
}

TEST_P(MirroredStrategyRunTest, RefusesRunInsideRun) {
  EXPECT_EQ(CodeOf([&] { strategy_->Run([&] { strategy_->Run([] {}); }); }),
            Code::kFailedPrecondition);
  EXPECT_EQ(CodeOf([&] {
              strategy_->Run([&] {
                GetReplicaContext().MergeCall(
                    [](Strategy& strategy) { strategy.Run([] {}); });
              });
            }),
            Code::kFailedPrecondition);
}

TEST_P(MirroredStrategyRunTest, RefusesWrongNumberOfComponents) {
  const PerReplica<int> wrong(std::vector<int>(replicas_ + 1));
  EXPECT_EQ(CodeOf([&] { strategy_->Run([](int) {}, wrong); }),
            Code::kInvalidArgument);
}

TEST_P(MirroredStrategyRunTest, CallersOnSeveralThreadsTakeTurns) {
  std::atomic<int> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const PerReplica<int> ones = strategy_->Run([] {
          GetReplicaContext().AllReduce(ReduceOp::kSum, Tensor::Scalar(1.0f));
          return 1;
        });
        for (int one : ones) sum.fetch_add(one);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum.load(), 60 * replicas_);
}

INSTANTIATE_TEST_SUITE_P(Replicas, MirroredStrategyRunTest,
                         testing::Values(1, 2, 3, 4, 5, 8));

TEST(MirroredStrategyTest, ResultsMustHaveOneStructure) {
  const auto strategy = MakeStrategy(2);
  EXPECT_EQ(CodeOf([&] {
              strategy->Run([] {
                const int id =
                    GetReplicaContext().replica_id_in_sync_group().value();
                return std::vector<int>(id);
              });
            }),
            Code::kInvalidArgument);
  EXPECT_EQ(
      CodeOf([&] {
        strategy->Run([] {
          const int id = GetReplicaContext().replica_id_in_sync_group().value();
          return id == 0 ? Structure(Row({1})) : Structure::Tuple({Row({1})});
        });
      }),
      Code::kInvalidArgument);
}

TEST(MirroredStrategyTest, LocalResultsHaveOneEntryPerReplica) {
  const auto strategy = MakeStrategy(2);
  const PerReplica<Structure> results = strategy->Run([] {
    return Structure::Dict({{"a", Row({1})}, {"b", Row({2})}});
  });
  const std::vector<Structure> local = strategy->LocalResults(results);
  ASSERT_EQ(local.size(), 2);
  EXPECT_EQ(ToString(local[1]), "{'a': [1], 'b': [2]}");
  EXPECT_EQ(strategy->LocalResults(Row({7})).size(), 1);
}

TEST(MirroredStrategyTest, DistributesValuesFromAFunction) {
  const auto strategy = MakeStrategy(3);
  const PerReplica<Tensor> values =
      strategy->DistributeValuesFromFunction([](const ValueContext& context) {
        EXPECT_EQ(context.num_replicas_in_sync, 3);
        return Row({1.0f * context.replica_id_in_sync_group.value()});
      });
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(values[r].at<float>(0), r);
    EXPECT_EQ(&values[r].device(), strategy->devices()[r]);
  }
}

TEST(MirroredStrategyTest, DistributesDatasets) {
  const auto strategy = MakeStrategy(2);
  std::vector<std::string> steps;
  for (const auto& step :
       strategy->DistributeDataset(Dataset::Range(6).Batch(4))) {
    steps.push_back(ToString(step[0]) + ToString(step[1]));
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"[0, 1][2, 3]", "[4][5]"}));
  const auto function = [](const InputContext& context) {
    return Dataset::Range(4).Batch(context.GetPerReplicaBatchSize(4));
  };
  for (const auto& step : strategy->DistributeDatasetsFromFunction(function)) {
    EXPECT_EQ(ToString(step[0]) + ToString(step[1]), "[0, 1][2, 3]");
  }
  EXPECT_EQ(
      CodeOf([&] {
        strategy->Run([&] { strategy->DistributeDataset(Dataset::Range(1)); });
      }),
      Code::kFailedPrecondition);
}

TEST(MirroredStrategyTest, StrategiesOfDifferentSizeCoexist) {
  const auto three = MakeStrategy(3);
  const auto two = MakeStrategy(2);
  const auto sum = [] {
    return GetReplicaContext().AllReduce(ReduceOp::kSum, Row({1}));
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(two->Run(sum)[1].at<float>(0), 2);
    EXPECT_EQ(three->Run(sum)[2].at<float>(0), 3);
  }
}

TEST(DefaultStrategyTest, IsCurrentOutsideScopes) {
  EXPECT_FALSE(HasStrategy());
  EXPECT_FALSE(InCrossReplicaContext());
  EXPECT_EQ(GetStrategy().num_replicas_in_sync(), 1);
  EXPECT_TRUE(GetStrategy().is_default());
  EXPECT_EQ(GetReplicaContext().replica_id_in_sync_group().value(), 0);
  EXPECT_EQ(GetReplicaContext().num_replicas_in_sync(), 1);
}

TEST(DefaultStrategyTest, HasOneContext) {
  ReplicaContext* context = &GetReplicaContext();
  const auto expect_in_force = [&] {
    EXPECT_EQ(&DistributionContext::Current(), context);
    EXPECT_EQ(&GetReplicaContext(), context);
  };
  expect_in_force();
  GetStrategy().Run(expect_in_force);
  std::thread(expect_in_force).join();
  const auto two = MakeStrategy(2);
  two->Run([&] { EXPECT_NE(&GetReplicaContext(), context); });
  expect_in_force();
}

TEST(DefaultStrategyTest, ComputesOnTheCallingThread) {
  Strategy& strategy = GetStrategy();
  const auto caller = std::this_thread::get_id();
  const PerReplica<Tensor> result = strategy.Run([&] {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    return GetReplicaContext().AllReduce(ReduceOp::kMean, Row({3, 4}));
  });
  const Tensor sum = strategy.Reduce(ReduceOp::kSum, result, 0);
  EXPECT_EQ(sum.item<float>(), 7);
  EXPECT_EQ(GetReplicaContext().AllGather(Row({1, 2}), 0).num_elements(), 2);
  const int merged = GetReplicaContext().MergeCall(
      [](Strategy&, const PerReplica<int>& x) { return x[0] + 1; }, 1);
  EXPECT_EQ(merged, 2);
}

}  // namespace

// Strategies over fake GPUs.

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

TEST_F(GpuReplicasTest, RefusesCpusWithGpus) {
  EXPECT_EQ(
      WhyInvalid({"CPU:0", "GPU:0"}),
      "[MirroredStrategy] devices must be all CPUs or all GPUs, got CPU:0 "
      "and GPU:0");
  EXPECT_EQ(
      WhyInvalid({"GPU:0", "GPU:1", "CPU:0"}),
      "[MirroredStrategy] devices must be all CPUs or all GPUs, got GPU:0 "
      "and CPU:0");
}

TEST_F(GpuReplicasTest, RefusesDuplicateGpus) {
  EXPECT_EQ(WhyInvalid({"GPU:1", "gpu:1"}),
            "[MirroredStrategy] no duplicates allowed in `devices`, got GPU:1 "
            "twice");
}

TEST_F(GpuReplicasTest, UsesAllGpusWithoutAList) {
  LogCapture quiet;
  const MirroredStrategy strategy;
  EXPECT_EQ(strategy.devices(),
            (std::vector<Device*>{&fake_.gpu(0), &fake_.gpu(1)}));
}

TEST_F(GpuReplicasTest, ChoosesTheAllReduceByDevice) {
  const auto algorithm_of = [&](const std::vector<std::string>& devices) {
    const auto strategy = Make(devices);
    return std::string(strategy->replicas()->groups[0]->algorithm());
  };
  EXPECT_EQ(algorithm_of({"GPU:0"}), "SharedMemoryAllReduce");
  EXPECT_EQ(algorithm_of({"GPU:0", "GPU:1"}), "HierarchicalCopyAllReduce");
  EXPECT_EQ(algorithm_of({"CPU:0"}), "SharedMemoryAllReduce");
}

TEST_F(GpuReplicasTest, ReplicasReduceOnTheirGpus) {
  const auto strategy = Make({"GPU:0", "GPU:1"});
  const PerReplica<Tensor> sums = strategy->Run([] {
    const float id = GetReplicaContext().replica_id_in_sync_group().value();
    return GetReplicaContext().AllReduce(ReduceOp::kSum, Row({id, 4}));
  });
  for (int r : {0, 1}) {
    EXPECT_EQ(&sums[r].device(), &fake_.gpu(r));
    EXPECT_EQ(sums[r].ToVector<float>(), (std::vector<float>{1, 8}));
  }
}

// Joins as a GPU's kernel would: only tensors on the same GPU.
Tensor ConcatOnOneGpu(std::span<const Tensor> tensors, int axis, const Shape&) {
  std::vector<Tensor> parts;
  for (const Tensor& tensor : tensors) parts.push_back(tensor.ToHost());
  return kernels::Concat(parts, axis).To(tensors[0].device());
}

TEST_F(GpuReplicasTest, GatherJoinsValuesOfSeveralGpus) {
  const auto before = kernels::gpu::Concat.Set(&ConcatOnOneGpu);
  const auto strategy = Make({"GPU:0", "GPU:1"});
  const PerReplica<Tensor> rows = strategy->Run([] {
    const float id = GetReplicaContext().replica_id_in_sync_group().value();
    return Row({id, id + 5});
  });
  const Tensor joined = strategy->Gather(rows, 0);
  EXPECT_EQ(&joined.device(), &fake_.gpu(0));
  EXPECT_EQ(joined.ToVector<float>(), (std::vector<float>{0, 5, 1, 6}));
  const PerReplica<Tensor> all = strategy->Run([] {
    const float id = GetReplicaContext().replica_id_in_sync_group().value();
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
    const float id = GetReplicaContext().replica_id_in_sync_group().value();
    return GetReplicaContext().Broadcast(Row({id + 3}), 1);
  });
  for (int r : {0, 1}) {
    EXPECT_EQ(&copies[r].device(), &fake_.gpu(r));
    EXPECT_EQ(copies[r].ToVector<float>(), std::vector<float>{4});
  }
}

TEST_F(GpuReplicasTest, AssignDividesASumAmongGpus) {
  const auto strategy = Make({"GPU:0", "GPU:1"});
  const VariablePtr variable = MakeIn(*strategy, 0, VariableAggregation::kSum,
                                      VariableSynchronization::kOnRead);
  variable->Assign(Tensor::Scalar(6.0f, fake_.gpu(1)));
  const PerReplica<Tensor> shares =
      strategy->Run([&] { return variable->Read(); });
  for (int r : {0, 1}) EXPECT_EQ(shares[r].item<float>(), 3);
  EXPECT_EQ(variable->Read().item<float>(), 6);
}

// Detects a failure only after the work, as NCCL does.
class FailsLater : public InProcessGroup {
 public:
  using InProcessGroup::InProcessGroup;
  void Check() const override {
    throw Unavailable("[AllReduce] {}", "a GPU fell off the bus");
  }
};

TEST_F(GpuReplicasTest, RunReportsFailuresInStreams) {
  fake_.nccl = NcclFeatures{.version = 22809};
  fake_.make_nccl = [](const std::shared_ptr<Rendezvous>& rendezvous) {
    std::vector<std::unique_ptr<Group>> groups;
    for (int rank : {0, 1}) {
      groups.push_back(std::make_unique<FailsLater>(
          rendezvous, rank, std::make_shared<SharedMemoryAllReduce>()));
    }
    return groups;
  };
  const auto strategy = Make({"GPU:0", "GPU:1"});
  EXPECT_EQ(CodeOf([&] { strategy->Run([] { return Row({1}); }); }),
            Code::kUnavailable);
}

}  // namespace
}  // namespace lockstep
