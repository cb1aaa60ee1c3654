#include "reference/distribute/input/distributed_dataset.h"

#include <gtest/gtest.h>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error_testing.h"
#include "reference/data/dataset_testing.h"
#include "reference/distribute/input/distributed_dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;

DistributedDataset FiveByTwo() {
  return DistributeDataset(Topology::OneWorker(2), CpuDevices(2),
                           Dataset::Range(5).Batch(2));
}

TEST(DistributedIteratorTest, AllWaysOfReadingAgree) {
  DistributedIterator a = FiveByTwo().MakeIterator();
  DistributedIterator b = FiveByTwo().MakeIterator();
  for (const auto& step : FiveByTwo()) {
    EXPECT_EQ(ToText(a.GetNext()), ToText(step));
    EXPECT_EQ(ToText(b.GetNextAsOptional().GetValue()), ToText(step));
  }
}

TEST(DistributedIteratorTest, GetNextThrowsAtTheEnd) {
  DistributedIterator iterator = FiveByTwo().MakeIterator();
  for (int i = 0; i < 3; ++i) iterator.GetNext();
  for (int i = 0; i < 2; ++i) {
    ExpectError([&] { iterator.GetNext(); }, Code::kOutOfRange,
                "End of sequence");
  }
}

TEST(DistributedIteratorTest, OptionalIsEmptyAtTheEnd) {
  DistributedIterator iterator = FiveByTwo().MakeIterator();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(iterator.GetNextAsOptional().has_value());
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  }
  EXPECT_FALSE(DistributeDataset(Topology::OneWorker(2), CpuDevices(2),
                                 Dataset::Range(0).Batch(2))
                   .MakeIterator()
                   .GetNextAsOptional()
                   .has_value());
}

TEST(DistributedIteratorTest, EmptyOptionalThrows) {
  const Optional<PerReplica<Structure>> none;
  ExpectError([&] { none.GetValue(); }, Code::kInvalidArgument,
              "The given optional does not have a value.");
}

TEST(DistributedIteratorTest, SpecIsTheDatasets) {
  EXPECT_EQ(FiveByTwo().MakeIterator().element_spec()[1].leaf(),
            FiveByTwo().element_spec()[1].leaf());
}

TEST(DistributedIteratorTest, InfiniteInputHasNoPartialSteps) {
  DistributedIterator iterator =
      DistributeDataset(Topology::OneWorker(2), CpuDevices(2),
                        Dataset::Range(3).Repeat().Batch(2))
          .MakeIterator();
  EXPECT_EQ(ToText(iterator.GetNext()), "[0] [1]");
  EXPECT_EQ(ToText(iterator.GetNext()), "[2] [0]");
  EXPECT_EQ(ToText(iterator.GetNext()), "[1] [2]");
}

class InsideRun final : public DistributionContext {
 public:
  bool has_strategy() const override { return true; }
};

TEST(DistributedIteratorTest, ReplicasMustNotRead) {
  DistributedIterator iterator = FiveByTwo().MakeIterator();
  InsideRun context;
  {
    DistributionContextScope scope(context);
    ExpectError([&] { iterator.GetNext(); }, Code::kFailedPrecondition,
                "should be called from outside of replica_fn");
  }
  EXPECT_EQ(ToText(iterator.GetNext()), "[0] [1]");
}

// The steps of worker `worker` of two.
DistributedDataset OfWorker(int worker, int replicas_each,
                            const Dataset& batches) {
  return DistributeDataset(
      Topology({replicas_each, replicas_each}, WorkerId(worker)),
      CpuDevices(replicas_each), batches);
}

TEST(DistributeDatasetTest, ReplicasTakeTheWorkersPartsInTurn) {
  const Dataset batches = Dataset::Range(20).Batch(8);
  EXPECT_EQ(ReadSteps(OfWorker(0, 2, batches)),
            (Texts{"[0, 1] [2, 3]", "[8, 9] [10, 11]", "[16] [17]"}));
  EXPECT_EQ(ReadSteps(OfWorker(1, 2, batches)),
            (Texts{"[4, 5] [6, 7]", "[12, 13] [14, 15]", "[18] [19]"}));
  EXPECT_EQ(ReadSteps(OfWorker(1, 1, Dataset::Range(5).Batch(4))),
            (Texts{"[2, 3]", "[]"}));
  for (const int worker : {0, 1}) {
    EXPECT_EQ(OfWorker(worker, 2, batches).cardinality(), 3);
    const Dataset off =
        batches.WithOptions({.auto_shard_policy = AutoShardPolicy::kOff});
    EXPECT_EQ(OfWorker(worker, 2, off).cardinality(), 6);
    EXPECT_EQ(ReadSteps(OfWorker(worker, 2, off)).size(), 6u);
  }
}

TEST(DistributeDatasetTest, RefusesUnequalNumbersOfReplicas) {
  ExpectError(
      [] {
        DistributeDataset(Topology({1, 2}, WorkerId(0)), CpuDevices(1),
                          Dataset::Range(4).Batch(2));
      },
      Code::kInvalidArgument, "got 3 for 2 workers");
}

// All elements of three passes, of which the first is not read to its end.
std::vector<Texts> ThreePasses(const DistributedDataset& inputs) {
  inputs.MakeIterator().GetNext();
  return {ReadSteps(inputs), ReadSteps(inputs), ReadSteps(inputs)};
}

// A shuffle without a seed before and after a cache, and one before a repeat.
TEST(DistributeDatasetTest, AnotherProcessResumesAtTheNextPass) {
  const auto make = [](int replicas) {
    const Dataset numbers = Dataset::Range(40).Shuffle(40).Cache();
    return DistributeDataset(Topology::OneWorker(replicas),
                             CpuDevices(replicas),
                             numbers.Shuffle(40).Repeat(2).Batch(7));
  };
  for (const int passes : {0, 1, 2}) {
    const DistributedDataset first = make(1), other = make(1);
    for (int pass = 0; pass < passes; ++pass) ReadSteps(first);
    other.RestorePasses(first.SavePasses());
    const DistributedDataset more = make(2);
    more.RestorePasses(first.SavePasses());
    const std::vector<Texts> expected = ThreePasses(first);
    EXPECT_EQ(ThreePasses(other), expected) << passes;
    EXPECT_NE(expected[0], expected[1]);
    EXPECT_EQ(more.SavePasses().size(), other.SavePasses().size());
    // The same batches, each of them divided.
    EXPECT_EQ(ThreePasses(more)[2].size(), expected[2].size());
  }
  const auto plain = DistributeDataset(Topology::OneWorker(1), CpuDevices(1),
                                       Dataset::Range(4).Batch(2));
  EXPECT_TRUE(plain.SavePasses().empty());
  ExpectError([&] { plain.RestorePasses(make(1).SavePasses()); },
              Code::kInvalidArgument, "a pipeline with other shuffles");
}

TEST(InputContextTest, DividesTheGlobalBatchSize) {
  const InputContext context(1, 0, 4);
  EXPECT_EQ(context.GetPerReplicaBatchSize(64), 16);
  EXPECT_EQ(context.GetPerReplicaBatchSize(0), 0);
  ExpectError([&] { context.GetPerReplicaBatchSize(10); },
              Code::kInvalidArgument,
              "The `global_batch_size` 10 is not divisible by "
              "`num_replicas_in_sync` 4");
  ExpectError([&] { context.GetPerReplicaBatchSize(-4); },
              Code::kInvalidArgument, "-4");
}

TEST(InputContextTest, PrintsAsDocumented) {
  EXPECT_EQ(ToString(InputContext(3, 1, 4)),
            "tf.distribute.InputContext(input pipeline id 1, total: 3)");
}

TEST(InputContextTest, DefaultsAreOnePipelineAndOneReplica) {
  const InputContext context;
  EXPECT_EQ(context.num_input_pipelines(), 1);
  EXPECT_EQ(context.input_pipeline_id(), 0);
  EXPECT_EQ(context.num_replicas_in_sync(), 1);
}

TEST(InputContextTest, ErrorsAreTyped) {
  ExpectError([] { InputContext(2, 2, 1); }, Code::kInvalidArgument,
              "[InputContext] pipeline 2 of 2 does not exist");
  ExpectError([] { InputContext(1, -1, 1); }, Code::kInvalidArgument,
              "pipeline -1");
  ExpectError([] { InputContext(1, 0, 0); }, Code::kInvalidArgument,
              "replicas must be positive, got 0");
}

// For replicas on CPUs of one worker.
DistributedDataset FromFunction(int replicas, const DatasetFunction& function,
                                const InputOptions& options = {}) {
  return DistributeDatasetsFromFunction(
      Topology::OneWorker(replicas), CpuDevices(replicas), function, options);
}

DistributedDataset Collected(int replicas, const Dataset& dataset) {
  return FromFunction(replicas, [&](const InputContext&) { return dataset; });
}

TEST(DistributeFromFunctionTest, ReplicasGetWholeElementsInTurn) {
  EXPECT_EQ(ReadSteps(Collected(2, Dataset::Range(5).Batch(2))),
            (Texts{"[0, 1] [2, 3]", "[4] []"}));
  EXPECT_EQ(ReadSteps(Collected(4, Dataset::Range(3).Batch(4))),
            Texts{"[0, 1, 2] [] [] []"});
  EXPECT_EQ(ReadSteps(Collected(2, Dataset::Range(0).Batch(4))), Texts{});
}

TEST(DistributeFromFunctionTest, OddNumberOfBatchesLosesNothing) {
  EXPECT_EQ(ReadSteps(Collected(2, Dataset::Range(6).Batch(2, true))),
            (Texts{"[0, 1] [2, 3]", "[4, 5] []"}));
}

TEST(DistributeFromFunctionTest, CallsTheFunctionOnce) {
  int calls = 0;
  FromFunction(2, [&](const InputContext& context) {
    ++calls;
    EXPECT_EQ(context.num_input_pipelines(), 1);
    EXPECT_EQ(context.input_pipeline_id(), 0);
    EXPECT_EQ(context.num_replicas_in_sync(), 2);
    return Dataset::Range(8).Batch(context.GetPerReplicaBatchSize(4));
  });
  EXPECT_EQ(calls, 1);
}

TEST(DistributeFromFunctionTest, PerReplicaCallsItOncePerReplica) {
  InputOptions options;
  options.replication_mode = InputReplicationMode::kPerReplica;
  const auto scaled = [](const InputContext& context) {
    const int64_t factor = context.input_pipeline_id() + 1;
    return Dataset::Range(factor, 4 * factor, factor).Batch(1);
  };
  EXPECT_EQ(ReadSteps(FromFunction(2, scaled, options)),
            (Texts{"[1] [2]", "[2] [4]", "[3] [6]"}));
  const auto uneven = [](const InputContext& context) {
    return Dataset::Range(context.input_pipeline_id()).Batch(1);
  };
  const DistributedDataset inputs = FromFunction(3, uneven, options);
  EXPECT_EQ(ReadSteps(inputs), (Texts{"[] [0] [0]", "[] [] [1]"}));
  EXPECT_EQ(inputs.cardinality(), 2);
}

TEST(DistributeFromFunctionTest, RunsOnTheReplicasDevice) {
  InputOptions options;
  options.replication_mode = InputReplicationMode::kPerReplica;
  options.fetch_to_device = false;
  options.place_dataset_on_device = true;
  const std::vector<Device*> devices = CpuDevices(2);
  const auto step = DistributeDatasetsFromFunction(
                        Topology::OneWorker(2), devices,
                        [](const InputContext&) {
                          return Dataset::Range(2).Shuffle(2, 1).Batch(2);
                        },
                        options)
                        .MakeIterator()
                        .GetNext();
  EXPECT_EQ(&step[0].leaf().device(), devices[0]);
  EXPECT_EQ(&step[1].leaf().device(), devices[1]);
}

TEST(DistributeFromFunctionTest, RefusesScalarsForEmptyBatches) {
  DistributedIterator iterator = Collected(2, Dataset::Range(3)).MakeIterator();
  EXPECT_EQ(ToText(iterator.GetNext()), "0 1");
  ExpectError([&] { iterator.GetNext(); }, Code::kInvalidArgument,
              "adding the `batch` transformation");
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
}

TEST(DistributeFromFunctionTest, CardinalityRoundsUp) {
  EXPECT_EQ(Collected(2, Dataset::Range(5).Batch(1)).cardinality(), 3);
  EXPECT_EQ(Collected(2, Dataset::Range(5).Repeat()).cardinality(),
            kInfiniteCardinality);
  const Dataset unknown =
      Dataset::Range(5).Filter([](const Structure&) { return true; });
  EXPECT_EQ(Collected(2, unknown).cardinality(), kUnknownCardinality);
}

TEST(DistributeFromFunctionTest, SpecIsStaticIfNoPartCanBeEmpty) {
  const Dataset four = Dataset::Range(12).Batch(4, true);
  const auto spec = [](int replicas, const Dataset& dataset) {
    return ToString(Collected(replicas, dataset).element_spec()[0].leaf());
  };
  EXPECT_EQ(spec(2, four), "int64 (None,)");
  EXPECT_EQ(spec(2, four.Repeat()), "int64 (4,)");
  EXPECT_EQ(spec(1, four), "int64 (4,)");
  EXPECT_EQ(spec(2, Dataset::Range(3)), "int64 ()");
}

// The second of two workers has replicas 1 and 2 of three.
TEST(DistributeFromFunctionTest, ContextHasTheWorkersPlace) {
  const Topology topology({1, 2}, WorkerId(1));
  std::vector<std::string> contexts;
  const auto function = [&](const InputContext& context) {
    contexts.push_back(ToString(context));
    EXPECT_EQ(context.num_replicas_in_sync(), 3);
    return Dataset::Range(2).Batch(1);
  };
  InputOptions options;
  const auto distribute = [&] {
    return DistributeDatasetsFromFunction(topology, CpuDevices(2), function,
                                          options);
  };
  EXPECT_EQ(ReadSteps(distribute()), (Texts{"[0] [1]"}));
  EXPECT_EQ(contexts,
            (Texts{"tf.distribute.InputContext(input pipeline id 1, total: "
                   "2)"}));
  contexts.clear();
  options.replication_mode = InputReplicationMode::kPerReplica;
  EXPECT_EQ(ReadSteps(distribute()), (Texts{"[0] [0]", "[1] [1]"}));
  EXPECT_EQ(contexts, (Texts{"tf.distribute.InputContext(input pipeline id 1, "
                             "total: 3)",
                             "tf.distribute.InputContext(input pipeline id 2, "
                             "total: 3)"}));
}

TEST(DistributeFromFunctionTest, ErrorsAreTyped) {
  ExpectError([] { FromFunction(2, nullptr); }, Code::kInvalidArgument,
              "there is no function");
  const auto function = [](const InputContext&) { return Dataset::Range(1); };
  const Topology two = Topology::OneWorker(2);
  ExpectError([&] { DistributeDatasetsFromFunction(two, {}, function); },
              Code::kInvalidArgument, "a device for each of 2 replicas, got 0");
  ExpectError(
      [&] { DistributeDatasetsFromFunction(two, CpuDevices(3), function); },
      Code::kInvalidArgument,
      "requires a device for each of 2 replicas, got 3");
  InputOptions options;
  options.place_dataset_on_device = true;
  options.fetch_to_device = false;
  ExpectError([&] { FromFunction(2, function, options); },
              Code::kInvalidArgument, "kPerReplica");
  options.replication_mode = InputReplicationMode::kPerReplica;
  options.fetch_to_device = true;
  ExpectError([&] { FromFunction(2, function, options); },
              Code::kInvalidArgument, "fetch_to_device");
}

}  // namespace
}  // namespace lockstep
