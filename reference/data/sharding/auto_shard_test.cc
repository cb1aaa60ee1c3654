#include "reference/data/sharding/auto_shard.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "reference/base/file_testing.h"
#include "reference/data/dataset_node.h"
#include "reference/data/dataset_testing.h"
#include "reference/data/printing/pipeline_text.h"
#include "reference/data/rebatch.h"
#include "reference/data/rewriting.h"
#include "reference/data/sharding/auto_shard_testing.h"

namespace lockstep::data_internal {
namespace {

TEST(SubBatchTest, IsAView) {
  const Tensor batch = Tensor::FromVector<float>({0, 1, 2, 3});
  EXPECT_TRUE(SubBatch(batch, 3, 0).leaf().SharesMemoryWith(batch));
}

TEST(SubBatchTest, MoreReplicasThanRows) {
  const Tensor batch = Tensor::FromVector<float>({0, 1});
  EXPECT_EQ(ToText(SubBatch(batch, 1000, 1)), "[1]");
  EXPECT_EQ(ToText(SubBatch(batch, 1000, 999)), "[]");
}

TEST(SubBatchTest, NoRowsStayNoRows) {
  const Tensor batch = Tensor::Empty(Shape{0, 3});
  EXPECT_EQ(SubBatch(batch, 2, 1).leaf().shape(), (Shape{0, 3}));
}

TEST(SubBatchTest, SpecKeepsKnownDimensions) {
  const TensorSpec batch{Shape{6, 28}, DType::kUInt8};
  EXPECT_EQ(ToString(SubBatchSpec(batch, 2).leaf()), "uint8 (3, 28)");
  EXPECT_EQ(ToString(SubBatchSpec(batch, 4).leaf()), "uint8 (None, 28)");
}

TEST(EmptyLikeTest, HasNoRows) {
  const Structure example = Structure::Tuple(
      {Tensor::Zeros(Shape{4, 2}), Tensor::Zeros(Shape{4}, DType::kString)});
  const Structure empty = EmptyLike(example);
  EXPECT_EQ(Describe(empty[0].leaf()), "float32 (0, 2)");
  EXPECT_EQ(Describe(empty[1].leaf()), "string (0,)");
}

TEST(NodeTest, DescribesItselfAndItsInputs) {
  const Dataset numbers = Dataset::Range(4).Shuffle(4, 1).Batch(2);
  EXPECT_EQ(Describe(*numbers.node()), "Batch(Shuffle(Range))");
  EXPECT_EQ(Describe(*numbers.Enumerate().Prefetch(1).node()),
            "Prefetch(Zip(Range, Batch(Shuffle(Range))))");
  ASSERT_EQ(numbers.node()->inputs().size(), 1u);
  EXPECT_EQ(numbers.node()->inputs()[0]->name(), "Shuffle");
}

// Every transformation there is, over Range(6).
std::vector<Dataset> Transformations(const std::string& file) {
  const Dataset numbers = Dataset::Range(6);
  return {
      numbers.Batch(4),
      numbers.Batch(4, /*drop_remainder=*/true),
      numbers.PaddedBatch(4),
      numbers.Batch(4).Unbatch(),
      numbers.Map([](const Structure& x) {
        return Structure::Tuple({x, x});
      }),
      numbers.Filter(
          [](const Structure& x) { return x.leaf().item<int64_t>() % 2 == 0; }),
      numbers.FlatMap(
          [](const Structure& x) { return Dataset::FromTensors(x); }),
      numbers.Interleave(
          [](const Structure& x) { return Dataset::FromTensors(x); },
          {.cycle_length = 2}),
      Dataset::Zip({numbers, numbers}),
      numbers.Concatenate(numbers),
      numbers.Repeat(2),
      numbers.Take(2),
      numbers.Skip(2),
      numbers.Shard(3, 1),
      numbers.Shard(kShardHint, 1),
      numbers.Shuffle(6, /*seed=*/1),
      numbers.Cache(),
      numbers.Map([](const Structure& x) { return x; }).Cache(file),
      numbers.Prefetch(1),
      numbers.Map([](const Structure& x) { return x; },
                  {.num_parallel_calls = 2}),
      numbers.TakeWhile(
          [](const Structure& x) { return x.leaf().item<int64_t>() < 4; }),
      numbers.Scan(Tensor::Scalar<int64_t>(0),
                   [](const Structure& state, const Structure& x) {
                     return ScanStep{.state = x, .output = state};
                   }),
      numbers.Repeat(2).Unique(),
      numbers.IgnoreErrors(),
      numbers.Window({.size = 2},
                     [](const Dataset& window) { return window.Batch(2); }),
      numbers.GroupByWindow(
          [](const Structure& x) { return x.leaf().item<int64_t>() % 2; },
          [](int64_t, const Dataset& window) { return window.Batch(2); }, 2),
      numbers.WithOptions({.auto_shard_policy = AutoShardPolicy::kOff}),
      AutoShard(numbers.Batch(4), {.replicas = 2}),
  };
}

std::vector<std::string> Sorted(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  return texts;
}

TEST(NodeTest, WithSameInputsReadsTheSame) {
  const TestFolder folder;
  for (const Dataset& dataset : Transformations(folder / "cache")) {
    const NodePtr& node = dataset.node();
    const Dataset copy(node->WithInputs(node->inputs()));
    EXPECT_NE(copy.node(), node);
    EXPECT_EQ(Describe(*copy.node()), Describe(*node));
    EXPECT_EQ(copy.cardinality(), dataset.cardinality()) << Describe(*node);
    // All forms of a shuffle count the same passes, each with another order.
    EXPECT_EQ(Sorted(ReadAll(copy)), Sorted(ReadAll(dataset)))
        << Describe(*node);
  }
}

TEST(NodeTest, WithInputsReadsThoseInputs) {
  const TestFolder folder;
  for (const Dataset& dataset : Transformations(folder / "cache")) {
    Rewriting emptied([](Rewriting& all, const NodePtr& node) {
      return node->inputs().empty() ? Dataset::Range(0).node()
                                    : all.OfInputs(node);
    });
    const NodePtr empty = emptied.Of(dataset.node());
    EXPECT_EQ(ReadAll(Dataset(empty)).size(), 0u) << Describe(*empty);
  }
}

TEST(RewriteTest, KeepsUnchangedNodes) {
  const Dataset a = Dataset::Range(2).Cache();
  const Dataset both = a.Concatenate(Dataset::Range(3).Take(1));
  Rewriting without_takes([](Rewriting& all, const NodePtr& node) {
    return node->name() == "Take" ? node->inputs()[0] : all.OfInputs(node);
  });
  const NodePtr rewritten = without_takes.Of(both.node());
  EXPECT_EQ(Describe(*rewritten), "Concatenate(Cache(Range), Range)");
  EXPECT_EQ(rewritten->inputs()[0], a.node());
  EXPECT_EQ(ReadNumbers(Dataset(rewritten)),
            (std::vector<int64_t>{0, 1, 0, 1, 2}));
  Rewriting nothing(
      [](Rewriting& all, const NodePtr& node) { return all.OfInputs(node); });
  EXPECT_EQ(nothing.Of(both.node()), both.node());
}

}  // namespace
}  // namespace lockstep::data_internal

namespace lockstep {
namespace {

Dataset Batches(int64_t count, int64_t size) {
  return Dataset::Range(count).Batch(size);
}

// With one replica per worker as TensorFlow 2.21's MultiWorkerMirroredStrategy
// with two processes. With more, TensorFlow deals parts to workers in turn
// (docs/design.md).
TEST(AutoShardTest, DataKeepsTheOrderOfReplicas) {
  EXPECT_EQ(StepsOf(0, 1, Batches(7, 7)), Texts{"[0, 1, 2, 3]"});
  EXPECT_EQ(StepsOf(1, 1, Batches(7, 7)), Texts{"[4, 5, 6]"});
  EXPECT_EQ(StepsOf(0, 2, Batches(7, 7)), Texts{"[0, 1] [2, 3]"});
  EXPECT_EQ(StepsOf(1, 2, Batches(7, 7)), Texts{"[4, 5] [6]"});
  EXPECT_EQ(StepsOf(0, 1, Batches(20, 8)),
            (Texts{"[0, 1, 2, 3]", "[8, 9, 10, 11]", "[16, 17]"}));
  EXPECT_EQ(StepsOf(1, 1, Batches(20, 8)),
            (Texts{"[4, 5, 6, 7]", "[12, 13, 14, 15]", "[18, 19]"}));
  EXPECT_EQ(StepsOf(0, 2, Batches(20, 8)),
            (Texts{"[0, 1] [2, 3]", "[8, 9] [10, 11]", "[16] [17]"}));
  EXPECT_EQ(StepsOf(1, 2, Batches(20, 8)),
            (Texts{"[4, 5] [6, 7]", "[12, 13] [14, 15]", "[18] [19]"}));
}

TEST(AutoShardTest, ReplicasWithoutRowsGetEmptyParts) {
  EXPECT_EQ(StepsOf(0, 1, Batches(10, 4)), (Texts{"[0, 1]", "[4, 5]", "[8]"}));
  EXPECT_EQ(StepsOf(1, 1, Batches(10, 4)), (Texts{"[2, 3]", "[6, 7]", "[9]"}));
  EXPECT_EQ(StepsOf(0, 2, Batches(10, 4)),
            (Texts{"[0] [1]", "[4] [5]", "[8] [9]"}));
  EXPECT_EQ(StepsOf(1, 2, Batches(10, 4)),
            (Texts{"[2] [3]", "[6] [7]", "[] []"}));
  EXPECT_EQ(StepsOf(0, 2, Batches(6, 4)), (Texts{"[0] [1]", "[4] [5]"}));
  EXPECT_EQ(StepsOf(1, 2, Batches(6, 4)), (Texts{"[2] [3]", "[] []"}));
  EXPECT_EQ(StepsOf(0, 2, Batches(13, 5)),
            (Texts{"[0, 1] [2, 3]", "[5, 6] [7, 8]", "[10] [11]"}));
  EXPECT_EQ(StepsOf(1, 2, Batches(13, 5)),
            (Texts{"[4] []", "[9] []", "[12] []"}));
  // A worker without data still has a step.
  EXPECT_EQ(StepsOf(1, 1, Batches(5, 4)), (Texts{"[2, 3]", "[]"}));
  EXPECT_EQ(StepsOf(1, 2, Batches(5, 4)), (Texts{"[2] [3]", "[] []"}));
}

TEST(AutoShardTest, DataOverARepeatedSource) {
  const Dataset batches = Dataset::Range(3).Repeat(2).Batch(4);
  EXPECT_EQ(StepsOf(0, 1, batches), (Texts{"[0, 1]", "[1]"}));
  EXPECT_EQ(StepsOf(1, 1, batches), (Texts{"[2, 0]", "[2]"}));
  EXPECT_EQ(StepsOf(0, 2, batches), (Texts{"[0] [1]", "[1] [2]"}));
  EXPECT_EQ(StepsOf(1, 2, batches), (Texts{"[2] [0]", "[] []"}));
}

TEST(AutoShardTest, SameSeedMakesWorkersDisjoint) {
  const auto worker = [](int64_t index) {
    return ReadNumbers(
        AutoShard(Dataset::Range(8).Shuffle(8, /*seed=*/1).Batch(4),
                  {.workers = 2, .worker = index, .replicas = 2}));
  };
  std::vector<int64_t> all = worker(0);
  for (const int64_t number : worker(1)) all.push_back(number);
  std::ranges::sort(all);
  EXPECT_EQ(all, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(AutoShardTest, OffReadsAllOnEveryWorker) {
  for (const int worker : {0, 1}) {
    EXPECT_EQ(StepsOf(worker, 1, Batches(20, 8), AutoShardPolicy::kOff),
              (Texts{"[0, 1, 2, 3]", "[4, 5, 6, 7]", "[8, 9, 10, 11]",
                     "[12, 13, 14, 15]", "[16, 17]", "[18, 19]"}));
    EXPECT_EQ(StepsOf(worker, 2, Batches(4, 4), AutoShardPolicy::kOff),
              (Texts{"[0] [1]", "[2] [3]"}));
    // All policies divide batches by the same rule: docs/design.md.
    EXPECT_EQ(StepsOf(worker, 1, Batches(7, 7), AutoShardPolicy::kOff),
              (Texts{"[0, 1, 2, 3]", "[4, 5, 6]"}));
  }
}

TEST(AutoShardTest, HintShardsOnlyAtHints) {
  EXPECT_EQ(StepsOf(1, 1, Batches(8, 4), AutoShardPolicy::kHint),
            (Texts{"[0, 1]", "[2, 3]", "[4, 5]", "[6, 7]"}));
  const Dataset hinted = Dataset::Range(100).Shard(kShardHint, 0);
  EXPECT_EQ(
      ReadNumbers(AutoShard(hinted.Batch(10).WithOptions(
                                {.auto_shard_policy = AutoShardPolicy::kHint}),
                            {.workers = 10, .worker = 3, .replicas = 10})),
      (std::vector<int64_t>{3, 13, 23, 33, 43, 53, 63, 73, 83, 93}));
  EXPECT_EQ(hinted.cardinality(), 100);
}

TEST(AutoShardTest, LastPolicyWins) {
  const DatasetOptions off{.auto_shard_policy = AutoShardPolicy::kOff};
  const DatasetOptions data{.auto_shard_policy = AutoShardPolicy::kData};
  const InputShard shard{.workers = 2, .worker = 1, .replicas = 2};
  const auto read = [&](const Dataset& batches) {
    return ReadAll(AutoShard(batches, shard));
  };
  const Dataset numbers = Dataset::Range(4);
  const Texts all{"[0, 1]", "[2, 3]"};
  EXPECT_EQ(read(numbers.Batch(4)), Texts{"[2, 3]"});
  EXPECT_EQ(read(numbers.Batch(4).WithOptions(off)), all);
  EXPECT_EQ(read(numbers.WithOptions(off).Batch(4).Prefetch(1)), all);
  EXPECT_EQ(read(numbers.WithOptions(data).Batch(4).WithOptions(off)), all);
  EXPECT_EQ(read(numbers.WithOptions(off).Batch(4).WithOptions(data)),
            Texts{"[2, 3]"});
  EXPECT_EQ(read(Dataset::Zip({numbers.WithOptions(off), numbers}).Batch(4)),
            (Texts{"([0, 1], [0, 1])", "([2, 3], [2, 3])"}));
}

TEST(AutoShardTest, FileRequiresFileSources) {
  ExpectError(
      [] { StepsOf(0, 1, Batches(8, 4), AutoShardPolicy::kFile); },
      Code::kNotFound,
      "[AutoShard] the policy FILE requires sources that read files, got "
      "Range");
}

// Files of four lines: 0..3, 100..103, ...
class FilesTest : public testing::Test {
 protected:
  Dataset Files(int count) {
    std::vector<std::string> files;
    for (int i = 0; i < count; ++i) {
      files.push_back(folder_ / std::to_string(i));
      std::string lines;
      for (int line = 0; line < 4; ++line) {
        lines += std::to_string(100 * i + line) + "\n";
      }
      WriteWholeFile(files.back(), lines);
    }
    const auto parse = [](const Structure& line) {
      const std::string text = line.leaf().item<std::string>();
      return Structure(
          Tensor::Scalar<int64_t>(text.empty() ? 0 : std::stoll(text)));
    };
    return Dataset::FromTextLines(files).Map(parse).Batch(4);
  }

 private:
  const TestFolder folder_;
};

TEST_F(FilesTest, FewerThanWorkersFailsEverywhere) {
  for (const AutoShardPolicy policy :
       {AutoShardPolicy::kFile, AutoShardPolicy::kAuto}) {
    for (const int worker : {0, 1}) {
      ExpectError([&] { StepsOf(worker, 1, Files(1), policy); },
                  Code::kInvalidArgument,
                  "has 1 file(s), which is not enough for 2 workers");
    }
  }
}

TEST_F(FilesTest, OneFileSufficesForDataAndOff) {
  EXPECT_EQ(StepsOf(0, 1, Files(1), AutoShardPolicy::kData), Texts{"[0, 1]"});
  EXPECT_EQ(StepsOf(1, 1, Files(1), AutoShardPolicy::kData), Texts{"[2, 3]"});
  for (const int worker : {0, 1}) {
    EXPECT_EQ(StepsOf(worker, 1, Files(1), AutoShardPolicy::kOff),
              (Texts{"[0, 1]", "[2, 3]"}));
  }
}

TEST_F(FilesTest, AutoAssignsFilesInTurn) {
  EXPECT_EQ(StepsOf(0, 1, Files(2)), (Texts{"[0, 1]", "[2, 3]"}));
  EXPECT_EQ(StepsOf(1, 1, Files(2)), (Texts{"[100, 101]", "[102, 103]"}));
  EXPECT_EQ(StepsOf(0, 2, Files(2)), (Texts{"[0] [1]", "[2] [3]"}));
  EXPECT_EQ(StepsOf(1, 2, Files(2)), (Texts{"[100] [101]", "[102] [103]"}));
  EXPECT_EQ(StepsOf(0, 1, Files(3)),
            (Texts{"[0, 1]", "[2, 3]", "[200, 201]", "[202, 203]"}));
  EXPECT_EQ(StepsOf(1, 1, Files(3)), (Texts{"[100, 101]", "[102, 103]"}));
}

TEST_F(FilesTest, DataReadsAllFilesOnEveryWorker) {
  EXPECT_EQ(StepsOf(0, 1, Files(2), AutoShardPolicy::kData),
            (Texts{"[0, 1]", "[100, 101]"}));
  EXPECT_EQ(StepsOf(1, 1, Files(2), AutoShardPolicy::kData),
            (Texts{"[2, 3]", "[102, 103]"}));
  EXPECT_EQ(StepsOf(0, 2, Files(2), AutoShardPolicy::kData),
            (Texts{"[0] [1]", "[100] [101]"}));
  EXPECT_EQ(StepsOf(1, 2, Files(2), AutoShardPolicy::kData),
            (Texts{"[2] [3]", "[102] [103]"}));
}

TEST_F(FilesTest, ZipWithNumbersShardsByData) {
  EXPECT_EQ(StepsOf(1, 1, Dataset::Zip({Files(2), Batches(8, 4)})),
            (Texts{"([2, 3], [2, 3])", "([102, 103], [6, 7])"}));
}

TEST(AutoShardTest, PartsAreTakenAtTheBatch) {
  const auto node = [&](const Dataset& batches) {
    return data_internal::Describe(
        *AutoShard(batches, {.workers = 2, .worker = 1, .replicas = 2}).node());
  };
  EXPECT_EQ(node(Batches(8, 4).Repeat().Prefetch(1)),
            "Prefetch(Repeat(Rebatch(Batch(Range))))");
  EXPECT_EQ(node(Batches(8, 4).Take(1)), "Rebatch(Take(Batch(Range)))");
}

// Element 3, in the second part of the first batch, does not stack.
TEST(AutoShardTest, ErrorInAPartCostsTheBatch) {
  const auto rows = [](const Structure& x) {
    return Structure(
        Tensor::Zeros(Shape{x.leaf().item<int64_t>() == 3 ? 2 : 1}));
  };
  const Dataset batches = Dataset::Range(12).Map(rows).Batch(4);
  EXPECT_EQ(StepsOf(0, 1, batches),
            (Texts{"[[0], [0]]", "[[0], [0]]", "[[0], [0]]"}));
  DatasetIterator parts =
      AutoShard(batches, {.workers = 2, .worker = 1, .replicas = 2})
          .MakeIterator();
  ExpectError([&] { parts.GetNext(); }, Code::kInvalidArgument, "[Batch]");
  EXPECT_EQ(ToText(parts.GetNext()), "[[0], [0]]");
  EXPECT_EQ(ToText(parts.GetNext()), "[[0], [0]]");
  EXPECT_FALSE(parts.GetNextAsOptional().has_value());
}

TEST(AutoShardTest, CardinalityCountsParts) {
  const InputShard shard{.workers = 2, .worker = 1, .replicas = 4};
  for (const auto& [count, batches] :
       {std::pair(6, 2), std::pair(8, 2), std::pair(9, 3)}) {
    EXPECT_EQ(AutoShard(Batches(count, 4), shard).cardinality(), 2 * batches);
  }
  EXPECT_EQ(AutoShard(Batches(8, 4).Repeat(), shard).cardinality(),
            kInfiniteCardinality);
}

TEST(AutoShardTest, RefusesInvalidWorkersAndReplicas) {
  const auto shard = [](const InputShard& s) { AutoShard(Batches(8, 4), s); };
  ExpectError([&] { shard({.workers = 2, .worker = 2, .replicas = 2}); },
              Code::kInvalidArgument, "worker 2 of 2 does not exist");
  ExpectError([&] { shard({.workers = 0, .worker = 0, .replicas = 2}); },
              Code::kInvalidArgument, "worker 0 of 0");
  ExpectError([&] { shard({.workers = 2, .worker = 0, .replicas = 3}); },
              Code::kInvalidArgument, "got 3 for 2 workers");
}

TEST(AutoShardTest, RefusesScalars) {
  ExpectError(
      [] {
        ReadAll(AutoShard(Dataset::Range(4),
                          {.workers = 2, .worker = 0, .replicas = 2}));
      },
      Code::kInvalidArgument, "adding the `batch` transformation");
}

}  // namespace
}  // namespace lockstep
