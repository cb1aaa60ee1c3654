// Sharding by file of pipelines that list, interleave and shuffle files. Unless
// a comment says otherwise, two workers have the same steps as with TensorFlow
// 2.21's MultiWorkerMirroredStrategy.
#include "reference/data/sharding/file_shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/base/log.h"
#include "reference/data/sharding/auto_shard_testing.h"
#include "reference/data/tf_record_writer.h"

namespace lockstep {
namespace {

using data_internal::FindOtherSource;
using Numbers = std::vector<int64_t>;

Structure Parse(const Structure& record) {
  const std::string text = record.leaf().item<std::string>();
  return Tensor::Scalar<int64_t>(text.empty() ? 0 : std::stoll(text));
}

Dataset ReadFile(const Structure& name) {
  return Dataset::FromTFRecords({name.leaf().item<std::string>()});
}

// File i holds four records: 100 i .. 100 i + 3.
class FileShardTest : public testing::Test {
 protected:
  std::vector<std::string> Make(int count) {
    std::vector<std::string> files;
    for (int i = 0; i < count; ++i) {
      files.push_back(folder_ / ("part-" + std::to_string(i)));
      TFRecordWriter writer(files.back());
      for (int k = 0; k < 4; ++k) writer.Write(std::to_string(100 * i + k));
      writer.Close();
    }
    return files;
  }

  Dataset List(bool shuffle = false,
               std::optional<int64_t> seed = std::nullopt) const {
    return Dataset::ListFiles({folder_ / "part-*"}, shuffle, seed);
  }

  // Every way to read the files in order.
  std::vector<Dataset> Readers(int count) {
    const auto files = Make(count);
    return {Dataset::FromTFRecords(files).Map(Parse).Batch(4),
            List().FlatMap(ReadFile).Map(Parse).Batch(4),
            List().Interleave(ReadFile, {}).Map(Parse).Batch(4).Prefetch(1),
            List().Prefetch(1).Cache().FlatMap(ReadFile).Map(Parse).Batch(4)};
  }

  // The numbers of file parts that one of two workers reads.
  static Numbers Read(const Dataset& batches, int64_t worker,
                      AutoShardPolicy policy = AutoShardPolicy::kFile) {
    return ReadNumbers(
        AutoShard(batches.WithOptions({.auto_shard_policy = policy}),
                  {.workers = 2, .worker = worker, .replicas = 2}));
  }

  // Each worker makes its own dataset, as separate processes do.
  static void ExpectEachOnce(const std::function<Dataset()>& batches,
                             const Numbers& all,
                             AutoShardPolicy policy = AutoShardPolicy::kFile) {
    Numbers read = Read(batches(), 0, policy);
    const Numbers other = Read(batches(), 1, policy);
    read.insert(read.end(), other.begin(), other.end());
    std::ranges::sort(read);
    EXPECT_EQ(read, all);
  }

  const TestFolder folder_;
};

TEST_F(FileShardTest, AutoAssignsFilesInTurn) {
  for (const Dataset& two : Readers(2)) {
    EXPECT_EQ(StepsOf(0, 1, two), (Texts{"[0, 1]", "[2, 3]"}));
    EXPECT_EQ(StepsOf(1, 1, two), (Texts{"[100, 101]", "[102, 103]"}));
    EXPECT_EQ(StepsOf(0, 2, two), (Texts{"[0] [1]", "[2] [3]"}));
    EXPECT_EQ(StepsOf(1, 2, two), (Texts{"[100] [101]", "[102] [103]"}));
  }
  for (const Dataset& three : Readers(3)) {
    EXPECT_EQ(StepsOf(0, 1, three),
              (Texts{"[0, 1]", "[2, 3]", "[200, 201]", "[202, 203]"}));
    EXPECT_EQ(StepsOf(1, 1, three), (Texts{"[100, 101]", "[102, 103]"}));
    EXPECT_EQ(StepsOf(1, 2, three), (Texts{"[100] [101]", "[102] [103]"}));
  }
}

TEST_F(FileShardTest, DataReadsAllFilesOnEveryWorker) {
  for (const Dataset& two : Readers(2)) {
    EXPECT_EQ(StepsOf(0, 1, two, AutoShardPolicy::kData),
              (Texts{"[0, 1]", "[100, 101]"}));
    EXPECT_EQ(StepsOf(1, 2, two, AutoShardPolicy::kData),
              (Texts{"[2] [3]", "[102] [103]"}));
  }
}

// In TensorFlow the other workers wait for the first one.
TEST_F(FileShardTest, TooFewFilesFailEverywhere) {
  for (const Dataset& one : Readers(1)) {
    for (const int worker : {0, 1}) {
      ExpectError([&] { StepsOf(worker, 1, one); }, Code::kInvalidArgument,
                  "has 1 file(s), which is not enough for 2 workers");
    }
  }
}

// Ten files, five workers: worker 3 reads files 3 and 8.
TEST_F(FileShardTest, AssignsFilesModuloWorkers) {
  for (const Dataset& ten : Readers(10)) {
    EXPECT_EQ(
        ReadNumbers(AutoShard(ten, {.workers = 5, .worker = 3, .replicas = 5})),
        (Numbers{300, 301, 302, 303, 800, 801, 802, 803}));
  }
}

TEST_F(FileShardTest, InterleavesTheWorkersOwnFiles) {
  Make(4);
  const Dataset mixed = List()
                            .Interleave(ReadFile, {.cycle_length = 2,
                                                   .block_length = 2,
                                                   .num_parallel_calls = 2})
                            .Map(Parse)
                            .Batch(4);
  EXPECT_EQ(Read(mixed, 0), (Numbers{0, 1, 200, 201, 2, 3, 202, 203}));
  EXPECT_EQ(Read(mixed, 1), (Numbers{100, 101, 300, 301, 102, 103, 302, 303}));
}

// No seed is needed: names are sharded before they are shuffled.
TEST_F(FileShardTest, UnseededShufflesOfNamesAreDisjoint) {
  Make(6);
  Numbers all;
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 4; ++k) all.push_back(100 * i + k);
  }
  const LogCapture log;
  const auto flat = [&] {
    return List(true).FlatMap(ReadFile).Map(Parse).Batch(5);
  };
  const auto interleaved = [&] {
    return List(true)
        .Map([](const Structure& name) { return name; })
        .Interleave(ReadFile, {.cycle_length = 3})
        .Map(Parse)
        .Shuffle(10)
        .Batch(5);
  };
  for (int round = 0; round < 5; ++round) {
    ExpectEachOnce(flat, all);
    ExpectEachOnce(interleaved, all);
  }
  EXPECT_TRUE(log.lines().empty());
  EXPECT_EQ(
      Read(List().Repeat(2).FlatMap(ReadFile).Map(Parse).Batch(4), 1).size(),
      2u * 12u);
}

TEST_F(FileShardTest, WarnsOfUnseededShuffleBeforeShard) {
  const auto files = Make(6);
  const auto warns = [&](const Dataset& batches, AutoShardPolicy policy) {
    const LogCapture log;
    AutoShard(batches.WithOptions({.auto_shard_policy = policy}),
              {.workers = 2, .worker = 0, .replicas = 2});
    return !log.lines().empty() &&
           log.lines()[0].find("without a seed") != std::string::npos;
  };
  const auto read = [](const Dataset& names) {
    return names.FlatMap(ReadFile).Map(Parse).Batch(4);
  };
  EXPECT_FALSE(warns(read(List(true)), AutoShardPolicy::kData));
  EXPECT_FALSE(warns(read(List(true)), AutoShardPolicy::kFile));
  EXPECT_FALSE(warns(read(List(true)), AutoShardPolicy::kOff));
  // Three names in random order, of which each worker would take every second.
  EXPECT_TRUE(warns(read(List(true).Take(3)), AutoShardPolicy::kFile));
  EXPECT_FALSE(warns(read(List(true, 1).Take(3)), AutoShardPolicy::kFile));
  EXPECT_TRUE(warns(read(List(true).Shard(2, 0)), AutoShardPolicy::kOff));
  EXPECT_FALSE(warns(read(List(true, 1).Shard(2, 0)), AutoShardPolicy::kOff));
  const Dataset hinted = Dataset::Range(8).Shuffle(8).Shard(kShardHint, 0);
  EXPECT_FALSE(warns(hinted.Batch(4), AutoShardPolicy::kHint));
  EXPECT_FALSE(
      warns(Dataset::Range(8).Shuffle(8).Batch(4), AutoShardPolicy::kAuto));
}

TEST_F(FileShardTest, SeededShufflesUnderDataAreDisjoint) {
  Make(3);
  Numbers all;
  for (int i = 0; i < 12; ++i) all.push_back(i / 4 * 100 + i % 4);
  const auto batches = [&] {
    return List(true, 7).FlatMap(ReadFile).Map(Parse).Shuffle(5, 1).Batch(5);
  };
  ExpectEachOnce(batches, all, AutoShardPolicy::kData);
}

TEST_F(FileShardTest, FindsSourcesWithoutFiles) {
  const auto files = Make(2);
  const auto other = [](const Dataset& dataset) -> std::string_view {
    const auto* found = FindOtherSource(*dataset.node());
    return found == nullptr ? "none" : found->name();
  };
  EXPECT_EQ(other(List()), "TensorSlices");
  EXPECT_EQ(other(List().FlatMap(ReadFile)), "none");
  EXPECT_EQ(other(Dataset::FromFixedLengthRecords(files, {})), "none");
  EXPECT_EQ(other(Dataset::Range(3).FlatMap(
                [](const Structure&) { return Dataset::Range(2); })),
            "Range");
  // Elements of files that are split further still come from files.
  EXPECT_EQ(other(Dataset::FromTextLines(files).FlatMap(
                [](const Structure&) { return Dataset::Range(2); })),
            "none");
  EXPECT_EQ(other(Dataset::Zip({List().FlatMap(ReadFile), Dataset::Range(3)})),
            "Range");
  ExpectError([&] { Read(List().Batch(2), 0); }, Code::kNotFound,
              "requires sources that read files, got TensorSlices");
}

TEST_F(FileShardTest, ShardsEveryBranch) {
  const auto files = Make(4);
  const Dataset branches =
      Dataset::FromTFRecords({files[0], files[1]})
          .Concatenate(Dataset::FromTFRecords({files[2], files[3]}))
          .Map(Parse)
          .Batch(4);
  EXPECT_EQ(Read(branches, 1),
            (Numbers{100, 101, 102, 103, 300, 301, 302, 303}));
  const Dataset pairs =
      Dataset::Zip({Dataset::FromTFRecords(files), List().FlatMap(ReadFile)});
  EXPECT_EQ(StepsOf(1, 1, pairs.Batch(3))[0],
            "(['100', '101'], ['100', '101'])");
}

// One worker shards nothing, so FILE works with any source.
TEST_F(FileShardTest, OneWorkerReadsAll) {
  EXPECT_EQ(
      ReadNumbers(AutoShard(Dataset::Range(4).Batch(4).WithOptions(
                                {.auto_shard_policy = AutoShardPolicy::kFile}),
                            {.workers = 1, .worker = 0, .replicas = 2})),
      (Numbers{0, 1, 2, 3}));
}

TEST_F(FileShardTest, DropsAssertedCardinality) {
  const auto files = Make(2);
  const Dataset records = Dataset::FromTFRecords(files).Map(Parse);
  const Dataset names = List().AssertCardinality(2);
  const Dataset hinted = records.Shard(kShardHint, 0).AssertCardinality(8);
  const LogCapture log;
  EXPECT_EQ(Read(records.AssertCardinality(8).Batch(4), 0),
            (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(Read(names.FlatMap(ReadFile).Map(Parse).Batch(4), 1),
            (Numbers{100, 101, 102, 103}));
  EXPECT_EQ(Read(hinted.Batch(4), 0, AutoShardPolicy::kHint),
            (Numbers{0, 2, 100, 102}));
  ASSERT_EQ(log.lines().size(), 3u);
  EXPECT_NE(log.lines()[0].find("AssertCardinality(8) is dropped"),
            std::string::npos);
}

TEST_F(FileShardTest, KeepsAssertedCardinalityWhenReadingAll) {
  const Dataset nine =
      Dataset::FromTFRecords(Make(2)).Map(Parse).AssertCardinality(9).Batch(4);
  for (const AutoShardPolicy policy :
       {AutoShardPolicy::kData, AutoShardPolicy::kOff}) {
    ExpectError([&] { Read(nine, 0, policy); }, Code::kFailedPrecondition,
                "expected 9, got 8 elements");
  }
}

}  // namespace
}  // namespace lockstep
