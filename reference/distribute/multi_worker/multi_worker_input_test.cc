// Input of several workers: the parts that each gets, and their common end.
// Numbers MW-.. refer to the behaviour of TensorFlow 2.21 with two real
// processes.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/collectives/collectives_testing.h"
#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/input/distributed_dataset_testing.h"
#include "reference/distribute/multi_worker/multi_worker_testing.h"

namespace lockstep {
namespace {

using Steps = std::vector<std::string>;

Dataset With(const Dataset& dataset, AutoShardPolicy policy) {
  DatasetOptions options;
  options.auto_shard_policy = policy;
  return dataset.WithOptions(options);
}

// The parts of each worker's replicas, step by step.
std::vector<Steps> StepsOf(
    const std::vector<int>& replicas,
    const std::function<DistributedDataset(const Strategy&)>& make) {
  std::vector<Steps> steps(replicas.size());
  RunWorkers(replicas, [&](Strategy& strategy) {
    steps[WorkerOf(strategy)] = ReadSteps(make(strategy));
  });
  return steps;
}

std::vector<Steps> StepsOf(const std::vector<int>& replicas,
                           const Dataset& dataset) {
  return StepsOf(replicas, [&](const Strategy& strategy) {
    return strategy.DistributeDataset(dataset);
  });
}

TEST(MultiWorkerInputTest, OneReplicaEach) {
  const std::vector<int> two = {1, 1};
  const auto batches = [](int64_t n, int64_t size) {
    return Dataset::Range(n).Batch(size);
  };
  EXPECT_EQ(
      StepsOf(two, batches(20, 8)),  // MW-26
      (std::vector<Steps>{{"[0, 1, 2, 3]", "[8, 9, 10, 11]", "[16, 17]"},
                          {"[4, 5, 6, 7]", "[12, 13, 14, 15]", "[18, 19]"}}));
  EXPECT_EQ(StepsOf(two, batches(13, 5)),  // MW-30
            (std::vector<Steps>{{"[0, 1, 2]", "[5, 6, 7]", "[10, 11]"},
                                {"[3, 4]", "[8, 9]", "[12]"}}));
  EXPECT_EQ(StepsOf(two, batches(5, 4)),  // MW-42
            (std::vector<Steps>{{"[0, 1]", "[4]"}, {"[2, 3]", "[]"}}));
}

TEST(MultiWorkerInputTest, TwoReplicasEach) {
  EXPECT_EQ(StepsOf({2, 2}, Dataset::Range(5).Batch(4)),
            (std::vector<Steps>{{"[0] [1]", "[4] []"}, {"[2] [3]", "[] []"}}));
  EXPECT_EQ(StepsOf({2, 2}, Dataset::Range(10).Batch(4)),
            (std::vector<Steps>{{"[0] [1]", "[4] [5]", "[8] [9]"},
                                {"[2] [3]", "[6] [7]", "[] []"}}));
}

// The same parts in the same order on one, two and three workers.
TEST(MultiWorkerInputTest, GatheredBatchesKeepTheOrder) {
  for (const std::vector<int>& replicas :
       {std::vector<int>{6}, std::vector<int>{3, 3},
        std::vector<int>{2, 2, 2}}) {
    RunWorkers(replicas, [](Strategy& strategy) {
      DistributedIterator iterator =
          strategy.DistributeDataset(Dataset::Range(7).Batch(7)).MakeIterator();
      const PerReplica<Structure> step = iterator.GetNext();
      const auto parts =
          step.Map([](const Structure& part) { return part.leaf(); });
      EXPECT_EQ(strategy.Gather(parts, 0).ToVector<int64_t>(),
                (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6}));
    });
  }
}

TEST(MultiWorkerInputTest, ShowsWhereExamplesGo) {
  std::vector<std::string> shown(2);
  RunWorkers({1, 1}, [&](Strategy& strategy) {
    shown[WorkerOf(strategy)] =
        ToString(strategy.DistributeDataset(Dataset::Range(20).Batch(8)));
  });
  const auto expected = [](int worker) {
    const std::string number = std::to_string(worker);
    return "DistributedDataset\n"
           "element_spec: int64 (None,)\n"
           "cardinality: 3\n"
           "all workers have as many steps as the longest; one without data "
           "gets parts without rows\n"
           "auto_shard_policy: DATA (AUTO, and Range reads no files)\n"
           "Rebatch(parts=2, first=" +
           number +
           ", kept=1)  # each batch in 2 parts, one for each replica of all "
           "workers; worker " +
           number + " keeps part " + number +
           "\n"
           "  Batch(size=8)\n"
           "    Range(stop=20)";
  };
  EXPECT_EQ(shown[0], expected(0));
  EXPECT_EQ(shown[1], expected(1));
}

// A worker's dataset, of which workers have read different numbers of passes.
std::vector<int64_t> ReadTogether(
    const std::function<Dataset(int worker)>& make,
    const std::function<int(int worker)>& passes_before) {
  std::vector<std::vector<int64_t>> seen(2);
  RunWorkers({1, 1}, [&](Strategy& strategy) {
    const int worker = WorkerOf(strategy);
    const Dataset batches = make(worker);
    for (int i = 0; i < passes_before(worker); ++i) ReadAll(batches);
    for (const auto& step : strategy.DistributeDataset(batches)) {
      const auto rows = step[0].leaf().ToVector<int64_t>();
      seen[worker].insert(seen[worker].end(), rows.begin(), rows.end());
    }
  });
  std::vector<int64_t> all = seen[0];
  all.insert(all.end(), seen[1].begin(), seen[1].end());
  std::ranges::sort(all);
  return all;
}

TEST(MultiWorkerInputTest, WorkersBeginTheSamePass) {
  std::vector<int64_t> once(30);
  std::iota(once.begin(), once.end(), 0);
  const std::function<Dataset(int)> shuffled[] = {
      [](int) { return Dataset::Range(30).Shuffle(30, /*seed=*/1).Batch(4); },
      [](int) { return Dataset::Range(30).Shuffle(30).Batch(4); },
      [](int) { return Dataset::Range(30).Shuffle(30).Cache().Batch(4); },
      [](int) { return Dataset::Range(30).Shuffle(30).Batch(4).Cache(); },
      [](int) {
        return With(
            Dataset::Range(30).Shuffle(30).Shard(kShardHint, 0).Batch(2),
            AutoShardPolicy::kHint);
      },
      // As if the program shards by itself, with its own seed.
      [](int worker) {
        return With(Dataset::Range(30)
                        .Shuffle(30, /*seed=*/1)
                        .Shard(2, worker)
                        .Batch(2),
                    AutoShardPolicy::kOff);
      },
  };
  for (const auto& make : shuffled) {
    EXPECT_EQ(ReadTogether(make, [](int worker) { return worker; }), once);
    EXPECT_EQ(ReadTogether(make, [](int worker) { return 1 - worker; }), once);
  }
}

// If each worker reads all data, each keeps its own order.
TEST(MultiWorkerInputTest, OffKeepsRandomSeedsApart) {
  std::vector<Steps> steps(2);
  RunWorkers({1, 1}, [&](Strategy& strategy) {
    steps[WorkerOf(strategy)] = ReadSteps(strategy.DistributeDataset(
        With(Dataset::Range(40).Shuffle(40).Batch(4), AutoShardPolicy::kOff)));
  });
  EXPECT_NE(steps[0], steps[1]);
}

// MW-44: the number of steps is that of the longest.
TEST(MultiWorkerInputTest, WorkerWithoutDataGetsEmptyParts) {
  const auto make = [](const Strategy& strategy) {
    return strategy.DistributeDatasetsFromFunction(
        [](const InputContext& context) {
          return Dataset::Range(context.input_pipeline_id() == 0 ? 3 : 1)
              .Batch(1);
        });
  };
  EXPECT_EQ(StepsOf({1, 1}, make),
            (std::vector<Steps>{{"[0]", "[1]", "[2]"}, {"[0]", "[]", "[]"}}));
  EXPECT_EQ(StepsOf({2, 2}, make),
            (std::vector<Steps>{{"[0] [1]", "[2] []"}, {"[0] []", "[] []"}}));
}

// MW-40: of three files of four lines worker 0 gets two.
TEST(MultiWorkerInputTest, UnevenFilesEndInEmptyParts) {
  const TestFolder folder;
  std::vector<std::string> files;
  for (const char* name : {"a", "b", "c"}) {
    files.push_back(folder / name);
    const std::string line = std::string(name) + "\n";
    WriteWholeFile(files.back(), line + line + line + line);
  }
  EXPECT_EQ(StepsOf({1, 1}, Dataset::FromTextLines(files).Batch(4)),
            (std::vector<Steps>{
                {"['a', 'a']", "['a', 'a']", "['c', 'c']", "['c', 'c']"},
                {"['b', 'b']", "['b', 'b']", "[]", "[]"}}));
}

// Continuing would lose the examples in the missing parts of the short dataset.
TEST(MultiWorkerInputTest, RefusesDifferentLengthsUnderData) {
  for (const int shorter : {0, 1}) {
    RunWorkers({2, 2}, [&](Strategy& strategy) {
      const bool is_short = WorkerOf(strategy) == shorter;
      const int64_t most = is_short ? 4 : 8;  // which is not visible beforehand
      const Dataset batches = Dataset::Range(8)
                                  .Filter([most](const Structure& i) {
                                    return i.leaf().item<int64_t>() < most;
                                  })
                                  .Batch(4);
      DistributedIterator iterator =
          strategy.DistributeDataset(batches).MakeIterator();
      iterator.GetNext();
      EXPECT_EQ(CodeOf([&] { iterator.GetNext(); }), Code::kFailedPrecondition);
      EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
      // Of two batches of four parts, two per step.
      const auto own = With(batches, AutoShardPolicy::kOff);
      EXPECT_EQ(ReadSteps(strategy.DistributeDataset(own)).size(), 4u);
    });
  }
}

// The difference is detected before anything is read.
TEST(MultiWorkerInputTest, RefusesDifferentData) {
  struct Pair {
    Dataset first, second;
    const char* says;
  };
  const Dataset eight = Dataset::Range(8).Batch(4);
  const Dataset files = Dataset::FromTextLines({"here/a", "here/b"});
  const Dataset others = Dataset::FromTextLines({"here/a", "here/c"});
  for (const Pair& pair : {
           Pair{eight, Dataset::Range(7).Batch(4),
                "worker 0 has DATA of Batch[2](Range[8]), worker 1 has DATA of "
                "Batch[2](Range[7]); give"},
           Pair{eight, With(eight, AutoShardPolicy::kOff), "worker 1 has OFF"},
           Pair{eight, With(eight, AutoShardPolicy::kHint),
                "worker 1 has HINT"},
           Pair{files.Batch(4), others.Batch(4),
                "worker 0 has FILE of Batch(TextLines[2 files, names "},
       }) {
    RunWorkers({1, 1}, [&](Strategy& strategy) {
      const bool is_first = WorkerOf(strategy) == 0;
      DistributedIterator iterator =
          strategy.DistributeDataset(is_first ? pair.first : pair.second)
              .MakeIterator();
      for (int again = 0; again < 2; ++again) {
        ExpectError([&] { iterator.GetNext(); }, Code::kFailedPrecondition,
                    pair.says);
      }
    });
  }
}

// Machines may keep copies of files in different places.
TEST(MultiWorkerInputTest, ComparesFileNamesWithoutFolders) {
  const TestFolder here, there;
  for (const TestFolder* folder : {&here, &there}) {
    for (const char* name : {"a", "b"}) {
      WriteWholeFile(*folder / name, std::string(name) + "\n");
    }
  }
  const auto make = [&](int worker) {
    const TestFolder& folder = worker == 0 ? here : there;
    return Dataset::FromTextLines({folder / "a", folder / "b"}).Batch(2);
  };
  RunWorkers({1, 1}, [&](Strategy& strategy) {
    const int worker = WorkerOf(strategy);
    EXPECT_EQ(ReadSteps(strategy.DistributeDataset(make(worker))),
              (Steps{worker == 0 ? "['a']" : "['b']", "[]"}));
  });
}

// Empty parts have another worker's types and other dimensions, which grow by
// step in this test. At the end, read twice, no worker has a value.
TEST(MultiWorkerInputTest, EmptyPartsHaveTheOthersForm) {
  RunWorkers({1, 2}, [](Strategy& strategy) {
    const auto inputs = strategy.DistributeDatasetsFromFunction(
        [](const InputContext& context) {
          const int64_t n = context.input_pipeline_id() == 0 ? 2 : 0;
          return Dataset::Range(n).Map([](const Structure& i) {
            const int64_t columns = i.leaf().item<int64_t>() + 3;
            return Structure::Tuple(
                {Tensor::Zeros(Shape{4, columns}),
                 Structure::Dict(
                     {{"label", Tensor::Zeros(Shape{4}, DType::kInt64)}})});
          });
        });
    DistributedIterator iterator = inputs.MakeIterator();
    for (const int64_t columns : {3, 4}) {
      const auto step = iterator.GetNext();
      const bool has = WorkerOf(strategy) == 0;
      for (const Structure& part : step) {
        EXPECT_EQ(part[0].leaf().shape(), (Shape{has ? 4 : 0, columns}));
        EXPECT_EQ(Describe(part[1]["label"].leaf()),
                  has ? "int64 (4,)" : "int64 (0,)");
      }
    }
    EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
    EXPECT_EQ(CodeOf([&] { iterator.GetNext(); }), Code::kOutOfRange);
  });
}

TEST(MultiWorkerInputTest, RefusesEmptyPartsWithoutBatchAxis) {
  RunWorkers({1, 1}, [](Strategy& strategy) {
    const auto inputs = strategy.DistributeDatasetsFromFunction(
        [](const InputContext& context) {
          return Dataset::Range(2 - context.input_pipeline_id());
        });
    DistributedIterator iterator = inputs.MakeIterator();
    EXPECT_EQ(iterator.GetNext()[0].leaf().item<int64_t>(), 0);
    EXPECT_EQ(CodeOf([&] { iterator.GetNext(); }), Code::kInvalidArgument);
  });
}

// MW-36. In TensorFlow the other worker hangs, or is one step late afterwards.
TEST(MultiWorkerInputTest, ErrorReachesAllWorkersInItsStep) {
  RunWorkers({1, 2}, [](Strategy& strategy) {
    const bool broken = WorkerOf(strategy) == 1;
    const auto inputs =
        strategy.DistributeDatasetsFromFunction([&](const InputContext&) {
          return Dataset::Range(8).Batch(1).Map([=](const Structure& batch) {
            const int64_t i = batch.leaf().at<int64_t>(0);
            if (broken && i == 2) throw DataLoss("[Test] row {}", i);
            return batch;
          });
        });
    DistributedIterator iterator = inputs.MakeIterator();
    // Worker 0 reads one element per step, worker 1 two, one of them broken.
    EXPECT_EQ(iterator.GetNext()[0].leaf().at<int64_t>(0), 0);
    EXPECT_EQ(CodeOf([&] { iterator.GetNext(); }), Code::kDataLoss);
    const PerReplica<Tensor> next = iterator.GetNext().Map(
        [](const Structure& part) { return part.leaf(); });
    EXPECT_EQ(next[0].at<int64_t>(0), broken ? 3 : 2);
    EXPECT_GT(strategy.Gather(next, 0).num_elements(), 0);
  });
}

TEST(MultiWorkerInputTest, RefusesPolicyOnAllWorkers) {
  RunWorkers({1, 1}, [](Strategy& strategy) {
    const Dataset batches = Dataset::Range(4).Batch(2);
    EXPECT_EQ(
        CodeOf([&] {  // MW-34
          strategy.DistributeDataset(With(batches, AutoShardPolicy::kFile));
        }),
        Code::kNotFound);
    EXPECT_EQ(ReadSteps(strategy.DistributeDataset(batches)).size(), 2u);
  });
  // Workers with different numbers of replicas have no equal parts.
  RunWorkers({1, 2}, [](Strategy& strategy) {
    EXPECT_EQ(
        CodeOf([&] { strategy.DistributeDataset(Dataset::Range(4).Batch(2)); }),
        Code::kInvalidArgument);
  });
}

TEST(MultiWorkerInputTest, FunctionGetsTheWorkersContext) {  // MW-20 to MW-23
  RunWorkers({2, 2}, [](Strategy& strategy) {
    const int w = WorkerOf(strategy);
    std::vector<int> pipelines;
    const auto function = [&](const InputContext& context) {
      EXPECT_EQ(context.num_replicas_in_sync(), 4);
      EXPECT_EQ(context.GetPerReplicaBatchSize(8), 2);
      EXPECT_EQ(CodeOf([&] { context.GetPerReplicaBatchSize(7); }),
                Code::kInvalidArgument);
      pipelines.push_back(context.num_input_pipelines());
      pipelines.push_back(context.input_pipeline_id());
      return Dataset::Range(4).Batch(2);
    };
    strategy.DistributeDatasetsFromFunction(function);
    EXPECT_EQ(pipelines, (std::vector<int>{2, w}));
    pipelines.clear();
    strategy.DistributeDatasetsFromFunction(
        function, {.replication_mode = InputReplicationMode::kPerReplica});
    EXPECT_EQ(pipelines, (std::vector<int>{4, 2 * w, 4, 2 * w + 1}));
    const auto values =
        strategy.DistributeValuesFromFunction([](const ValueContext& context) {
          return std::vector<int>{context.replica_id_in_sync_group.value(),
                                  context.num_replicas_in_sync};
        });
    EXPECT_EQ(values.values(),
              (std::vector<std::vector<int>>{{2 * w, 4}, {2 * w + 1, 4}}));
  });
}

TEST(MultiWorkerInputTest, SpecAllowsShortParts) {
  RunWorkers({1, 1}, [](Strategy& strategy) {
    const Dataset batches = Dataset::Range(8).Batch(4, /*drop_remainder=*/true);
    const auto spec = [&](const Dataset& dataset) {
      return ToString(
          strategy.DistributeDataset(dataset).element_spec()[0].leaf());
    };
    EXPECT_EQ(spec(batches), "int64 (None,)");
    EXPECT_EQ(spec(batches.Repeat()), "int64 (2,)");
  });
}

// Workers that make different calls detect it.
TEST(MultiWorkerInputTest, DetectsAWorkerThatStopsReading) {
  RunWorkers({1, 1}, [](Strategy& strategy) {
    const auto inputs = strategy.DistributeDataset(Dataset::Range(8).Batch(2));
    DistributedIterator iterator = inputs.MakeIterator();
    iterator.GetNext();
    EXPECT_EQ(CodeOf([&] {
                if (WorkerOf(strategy) == 0) {
                  iterator.GetNext();
                } else {
                  strategy.Gather(PerReplica<Tensor>({Row({1})}), 0);
                }
              }),
              Code::kFailedPrecondition);
  });
}

// For any sizes, every example is read once, and all workers have the same
// number of steps.
RC_GTEST_PROP(MultiWorkerInputTest, ReadsEveryExampleOnce, ()) {
  const int64_t n = *rc::gen::inRange(0, 40);
  const int64_t size = *rc::gen::inRange(1, 12);
  const int workers = *rc::gen::inRange(1, 4);
  const int each = *rc::gen::inRange(1, 4);
  const bool off = *rc::gen::arbitrary<bool>();
  const auto policy = off ? AutoShardPolicy::kOff : AutoShardPolicy::kData;
  const Dataset batches = With(Dataset::Range(n).Batch(size), policy);
  std::vector<std::vector<int64_t>> seen(workers);
  std::vector<size_t> steps(workers);
  RunWorkers(std::vector<int>(workers, each), [&](Strategy& strategy) {
    const int w = WorkerOf(strategy);
    for (const auto& step : strategy.DistributeDataset(batches)) {
      ++steps[w];
      for (const Structure& part : step) {
        const auto rows = part.leaf().ToVector<int64_t>();
        seen[w].insert(seen[w].end(), rows.begin(), rows.end());
      }
    }
  });
  RC_ASSERT(std::ranges::count(steps, steps[0]) == workers);
  std::vector<int64_t> all, expected;
  for (const auto& mine : seen) all.insert(all.end(), mine.begin(), mine.end());
  // Under OFF every worker reads all data.
  for (int copy = 0; copy < (off ? workers : 1); ++copy) {
    for (int64_t i = 0; i < n; ++i) expected.push_back(i);
  }
  std::ranges::sort(all);
  std::ranges::sort(expected);
  RC_ASSERT(all == expected);
}

}  // namespace
}  // namespace lockstep
