// Expected parts are by hand, by the rules of data/sharding/auto_shard.h; what a
// pod refuses is what the document on distributed input says of TPUs.
#include "reference/distribute/simulated_pod/simulated_tpu_strategy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/base/log.h"
#include "reference/data/dataset_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/input/distributed_dataset_testing.h"

namespace lockstep {
namespace {

using Steps = std::vector<std::string>;

// A pod, without the line that it logs.
class Pod {
 public:
  Pod(int hosts, int cores_per_host)
      : strategy_({.hosts = hosts,
                   .cores_per_host = cores_per_host,
                   .threads_per_replica = 1}) {}

  SimulatedTpuStrategy* operator->() { return &strategy_; }

 private:
  LogCapture quiet_;
  SimulatedTpuStrategy strategy_;
};

// `size` rows each, without the rest.
Dataset Even(const Dataset& rows, int64_t size) {
  return rows.Batch(size, /*drop_remainder=*/true);
}

Dataset With(const Dataset& dataset, AutoShardPolicy policy) {
  DatasetOptions options;
  options.auto_shard_policy = policy;
  return dataset.WithOptions(options);
}

// All rows of a pass, in the order of steps and replicas.
std::vector<int64_t> RowsOf(const DistributedDataset& inputs) {
  std::vector<int64_t> rows;
  for (const auto& step : inputs) {
    for (const Structure& part : step) {
      const auto own = part.leaf().ToVector<int64_t>();
      rows.insert(rows.end(), own.begin(), own.end());
    }
  }
  return rows;
}

std::vector<int64_t> Sorted(std::vector<int64_t> rows) {
  std::ranges::sort(rows);
  return rows;
}

std::vector<int64_t> FirstNumbers(int64_t count) {
  std::vector<int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(SimulatedTpuStrategyTest, HasTheCoresOfAllHosts) {
  LogCapture log;
  SimulatedTpuStrategy strategy({.hosts = 2, .cores_per_host = 3});
  EXPECT_EQ(strategy.num_replicas_in_sync(), 6);
  EXPECT_EQ(strategy.hosts(), 2);
  EXPECT_EQ(strategy.cores_per_host(), 3);
  EXPECT_EQ(strategy.description(),
            "simulated TPU pod of 2 hosts with 3 cores each");
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_NE(log.lines()[0].find(
                "Using SimulatedTpuStrategy: a simulated TPU pod of 2 hosts "
                "with 3 cores each, no TPU, on devices (CPU:0, CPU:1, CPU:2, "
                "CPU:3, CPU:4, CPU:5)"),
            std::string::npos);
}

TEST(SimulatedTpuStrategyTest, RefusesPodsThatCannotBe) {
  const auto make = [](int hosts, int cores) {
    return [=] {
      SimulatedTpuStrategy({.hosts = hosts, .cores_per_host = cores});
    };
  };
  ExpectError(make(0, 4), Code::kInvalidArgument, "got 0 hosts with 4 cores");
  ExpectError(make(2, 0), Code::kInvalidArgument, "got 2 hosts with 0 cores");
  ExpectError(make(-1, 4), Code::kInvalidArgument, "got -1 hosts");
  ExpectError(make(5, 13), Code::kInvalidArgument, "at most 64 cores");
  ExpectError(make(1 << 30, 4), Code::kInvalidArgument, "at most 64 cores");
  SetLogicalCpuDevices(3);
  ExpectError(
      make(2, 2), Code::kNotFound,
      "a simulated TPU pod of 2 hosts with 2 cores each needs 4 logical "
      "CPU devices");
}

TEST(SimulatedTpuStrategyTest, TrainsOnEachCore) {
  SetLogicalCpuDevices(4);
  Pod pod(2, 2);
  const StrategyScope scope = pod->Scope();
  const DistributedDataset inputs = pod->DistributeDataset(
      Even(Dataset::FromTensorSlices(Row({1, 2, 4, 8})), 4));
  for (const auto& batch : inputs) {
    const PerReplica<Tensor> doubled =
        pod->Run([](const Structure& part) { return part.leaf(); }, batch);
    EXPECT_EQ(pod->Reduce(ReduceOp::kSum, doubled, 0).item<float>(), 15);
    EXPECT_EQ(doubled[3].ToVector<float>(), (std::vector<float>{8}));
  }
}

class PodInputTest : public testing::Test {
 protected:
  void SetUp() override { SetLogicalCpuDevices(4); }

  Steps StepsOf(const Dataset& dataset) {
    return ReadSteps(pod_->DistributeDataset(dataset));
  }

  Pod pod_{2, 2};
};

TEST_F(PodInputTest, HostsDivideEachBatch) {
  const DistributedDataset inputs =
      pod_->DistributeDataset(Even(Dataset::Range(20), 8));
  EXPECT_EQ(ReadSteps(inputs), (Steps{"[0, 1] [2, 3] [4, 5] [6, 7]",
                                      "[8, 9] [10, 11] [12, 13] [14, 15]"}));
  EXPECT_EQ(inputs.cardinality(), 2);
  ASSERT_EQ(inputs.element_spec().size(), 4);
  EXPECT_EQ(inputs.element_spec()[3].leaf().shape, Shape{2});
}

TEST_F(PodInputTest, EachHostReadsItsOwnFiles) {
  const TestFolder folder;
  std::vector<std::string> files;
  for (const char* line : {"a\n", "bb\n"}) {
    files.push_back(folder / std::to_string(files.size()));
    WriteWholeFile(files.back(), std::string(line) + line + line + line);
  }
  const auto length = [](const Structure& line) {
    return Tensor::Scalar<int64_t>(std::ssize(line.leaf().item<std::string>()));
  };
  const Dataset lengths = Dataset::FromTextLines(files).Map(length);
  EXPECT_EQ(StepsOf(Even(lengths, 4)),
            (Steps{"[1] [1] [2] [2]", "[1] [1] [2] [2]"}));
  EXPECT_EQ(StepsOf(With(Even(lengths, 4), AutoShardPolicy::kData)),
            (Steps{"[1] [1] [1] [1]", "[2] [2] [2] [2]"}));
}

TEST_F(PodInputTest, AFunctionMakesOneDatasetForEachHost) {
  std::vector<std::string> contexts;
  const DistributedDataset inputs =
      pod_->DistributeDatasetsFromFunction([&](const InputContext& context) {
        contexts.push_back(ToString(context));
        EXPECT_EQ(context.num_replicas_in_sync(), 4);
        return Even(Dataset::Range(8).Shard(context.num_input_pipelines(),
                                            context.input_pipeline_id()),
                    context.GetPerReplicaBatchSize(4));
      });
  EXPECT_EQ(contexts, (std::vector<std::string>{
                          "tf.distribute.InputContext(input pipeline id 0, "
                          "total: 2)",
                          "tf.distribute.InputContext(input pipeline id 1, "
                          "total: 2)"}));
  EXPECT_EQ(ReadSteps(inputs), (Steps{"[0] [2] [1] [3]", "[4] [6] [5] [7]"}));
  EXPECT_EQ(inputs.cardinality(), 2);
}

// The hosts read one pass together, and the next pass has another order.
TEST_F(PodInputTest, EveryPassHasEachRowOnce) {
  const std::function<Dataset()> shuffled[] = {
      [] { return Dataset::Range(40).Shuffle(40, /*seed=*/1); },
      [] { return Dataset::Range(40).Shuffle(40); },
      [] { return Dataset::Range(40).Shuffle(40).Prefetch(2); },
  };
  for (const auto& make : shuffled) {
    const DistributedDataset inputs = pod_->DistributeDataset(Even(make(), 8));
    const std::vector<int64_t> first = RowsOf(inputs);
    const std::vector<int64_t> second = RowsOf(inputs);
    EXPECT_EQ(Sorted(first), FirstNumbers(40));
    EXPECT_EQ(Sorted(second), FirstNumbers(40));
    EXPECT_NE(first, second);
  }
  const Dataset kept = Dataset::Range(40).Shuffle(40).Cache();
  const DistributedDataset inputs = pod_->DistributeDataset(Even(kept, 8));
  const std::vector<int64_t> first = RowsOf(inputs);
  EXPECT_EQ(Sorted(first), FirstNumbers(40));
  EXPECT_EQ(RowsOf(inputs), first);
}

// A function's datasets that read one shuffled dataset read the same pass of it.
TEST_F(PodInputTest, HostsShareThePassesOfADataset) {
  const Dataset order = Dataset::Range(8).Shuffle(8);
  const DistributedDataset inputs =
      pod_->DistributeDatasetsFromFunction([&](const InputContext& context) {
        return Even(order.Shard(2, context.input_pipeline_id()), 1);
      });
  for (int pass = 0; pass < 5; ++pass) {
    EXPECT_EQ(Sorted(RowsOf(inputs)), FirstNumbers(8));
  }
}

TEST_F(PodInputTest, APassContinuesAtItsPlace) {
  const DistributedDataset inputs =
      pod_->DistributeDataset(Even(Dataset::Range(16).Shuffle(16), 4));
  DistributedIterator iterator = inputs.MakeIterator();
  iterator.GetNext();
  const DistributedIterator::Place place = iterator.place();
  const std::string second = ToText(iterator.GetNext());
  DistributedIterator other = inputs.MakeIterator();
  other.GoTo(place);
  EXPECT_EQ(ToText(other.GetNext()), second);
}

TEST_F(PodInputTest, ASmallerBatchIsRefused) {
  DistributedIterator iterator =
      pod_->DistributeDataset(Dataset::Range(6).Batch(4)).MakeIterator();
  EXPECT_EQ(ToText(iterator.GetNext()), "[0] [1] [2] [3]");
  ExpectError([&] { iterator.GetNext(); }, Code::kInvalidArgument,
              "step 2 has (0,) on replica 2, the pass began with (1,) on "
              "replica 0");
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  EXPECT_EQ(StepsOf(Even(Dataset::Range(6), 4)), (Steps{"[0] [1] [2] [3]"}));
  // All batches are even, although their spec does not say so.
  EXPECT_EQ(StepsOf(Dataset::Range(8).Batch(4)).size(), 2u);
}

// Also within one step, and in any dimension.
TEST_F(PodInputTest, OtherShapesAreRefused) {
  EXPECT_EQ(CodeOf([&] { StepsOf(Dataset::Range(6).Batch(6)); }),
            Code::kInvalidArgument);
  const auto widen = [](const Structure& batch) {
    const int64_t first = batch.leaf().ToVector<int64_t>().front();
    return Tensor::Zeros(Shape{4, first < 4 ? 2 : 3});
  };
  EXPECT_EQ(CodeOf([&] { StepsOf(Even(Dataset::Range(8), 4).Map(widen)); }),
            Code::kInvalidArgument);
}

TEST_F(PodInputTest, AHostWithoutDataIsRefused) {
  const auto lengths = [&](int64_t second_host) {
    return pod_->DistributeDatasetsFromFunction(
        [=](const InputContext& context) {
          return Even(Dataset::Range(
                          context.input_pipeline_id() == 0 ? 4 : second_host),
                      1);
        });
  };
  EXPECT_EQ(ReadSteps(lengths(4)).size(), 2u);
  EXPECT_EQ(lengths(2).cardinality(), 2);
  ExpectError([&] { ReadSteps(lengths(2)); }, Code::kInvalidArgument,
              "step 2 has (0,) on replica 2");
}

// The step of an error is over for all hosts.
TEST_F(PodInputTest, AnErrorOnOneHostCostsOneStep) {
  const DistributedDataset inputs =
      pod_->DistributeDatasetsFromFunction([](const InputContext& context) {
        const bool fails = context.input_pipeline_id() == 0;
        return Even(Dataset::Range(6).Map([fails](const Structure& i) {
          if (fails && i.leaf().item<int64_t>() == 2) {
            throw DataLoss("[Test] broken");
          }
          return i;
        }),
                    1);
      });
  DistributedIterator iterator = inputs.MakeIterator();
  EXPECT_EQ(ToText(iterator.GetNext()), "[0] [1] [0] [1]");
  ExpectError([&] { iterator.GetNext(); }, Code::kDataLoss, "broken");
  const PerReplica<Structure> next = iterator.GetNext();
  EXPECT_EQ(ToText(next[2]), "[4]");
}

Dataset Ones() {
  return Dataset::FromGenerator(
      [] {
        return [count = 0]() mutable -> std::optional<Structure> {
          if (++count > 8) return std::nullopt;
          return Structure(Tensor::Scalar<int64_t>(1));
        };
      },
      TensorSpec{Shape{}, DType::kInt64});
}

TEST_F(PodInputTest, GeneratorsAreRefused) {
  const Dataset batches = Even(Ones(), 4);
  ExpectError([&] { pod_->DistributeDataset(batches); }, Code::kUnimplemented,
              "generators are not supported on TPUs, got Batch(Generator)");
  const auto make = [&](const InputContext&) { return batches; };
  ExpectError([&] { pod_->DistributeDatasetsFromFunction(make); },
              Code::kUnimplemented, "Batch(Generator)");
  const Dataset inside =
      Dataset::Range(2).FlatMap([](const Structure&) { return Ones(); });
  EXPECT_EQ(CodeOf([&] { pod_->DistributeDataset(Even(inside, 4)); }),
            Code::kUnimplemented);
}

TEST_F(PodInputTest, StringsStayOnTheHost) {
  const Dataset words = Even(Dataset::FromTensorSlices(Tensor::FromVector(
                                 std::vector<std::string>{"a", "b", "c", "d"})),
                             4);
  ExpectError([&] { StepsOf(words); }, Code::kUnimplemented,
              "TPUs have no strings");
  EXPECT_EQ(
      ReadSteps(pod_->DistributeDataset(words, {.fetch_to_device = false})),
      (Steps{"['a'] ['b'] ['c'] ['d']"}));
}

TEST_F(PodInputTest, RefusesNoFunction) {
  EXPECT_EQ(CodeOf([&] { pod_->DistributeDatasetsFromFunction(nullptr); }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
