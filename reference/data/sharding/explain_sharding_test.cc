#include "reference/data/sharding/explain_sharding.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

// Worker 1 of 2, with two replicas each.
std::string Explained(const Dataset& batches) {
  const InputShard shard{.workers = 2, .worker = 1, .replicas = 4};
  return ExplainSharding(batches, AutoShard(batches, shard), shard);
}

const char kSteps[] =
    "Rebatch(parts=4)  # each batch in 4 parts, one for each replica of all "
    "workers; a step takes 2 of them in turn\n";

TEST(ExplainShardingTest, OneWorkerReadsAllData) {
  const Dataset batches = Dataset::Range(6).Batch(4);
  const auto explained = [&](int64_t replicas) {
    const InputShard shard{.replicas = replicas};
    return ExplainSharding(batches, AutoShard(batches, shard), shard);
  };
  EXPECT_EQ(explained(2),
            "auto_shard_policy: OFF (one worker reads all data)\n"
            "Rebatch(parts=2)  # each batch in 2 parts, one for each replica\n"
            "  Batch(size=4)\n"
            "    Range(stop=6)");
  EXPECT_EQ(explained(1),
            "auto_shard_policy: OFF (one worker reads all data)\n"
            "Rebatch(parts=1)  # each batch as it is\n"
            "  Batch(size=4)\n"
            "    Range(stop=6)");
}

TEST(ExplainShardingTest, UnderDataAWorkerKeepsItsParts) {
  EXPECT_EQ(Explained(Dataset::Range(20).Batch(8).Prefetch(1)),
            "auto_shard_policy: DATA (AUTO, and Range reads no files)\n"
            "Prefetch(buffer_size=1)\n"
            "  Rebatch(parts=4, first=2, kept=2)  # each batch in 4 parts, one "
            "for each replica of all workers; worker 1 keeps parts 2 to 3\n"
            "    Batch(size=8)\n"
            "      Range(stop=20)");
}

TEST(ExplainShardingTest, UnderFileAWorkerReadsItsFiles) {
  EXPECT_EQ(
      Explained(Dataset::FromTextLines({"a", "b", "c", "d"}).Batch(8)),
      std::string("auto_shard_policy: FILE (AUTO, and all sources read "
                  "files)\n") +
          kSteps +
          "  Batch(size=8)\n"
          "    TextLines(files=[b, d])  # worker 1 reads files 1, 3, ...");
}

TEST(ExplainShardingTest, NamesOfFilesAreSharded) {
  const TestFolder folder;
  for (const char* name : {"a", "b"}) WriteWholeFile(folder / name, "1\n");
  const auto read = [](const Structure& name) {
    return Dataset::FromTextLines({name.leaf().item<std::string>()});
  };
  const Dataset lines = Dataset::ListFiles({folder / "*"}, /*shuffle=*/true, 7)
                            .AssertCardinality(2)
                            .FlatMap(read)
                            .Batch(8);
  EXPECT_EQ(Explained(lines),
            std::string("auto_shard_policy: FILE (AUTO, and all sources read "
                        "files)\n") +
                kSteps +
                "  Batch(size=8)\n"
                "    FlatMap\n"
                "      Shuffle(buffer_size=2, seed=7)\n"
                "        Shard(num_shards=2, index=1)  # worker 1 takes "
                "elements 1, 3, ...\n"
                "          TensorSlices(rows=2)");
}

TEST(ExplainShardingTest, WholeInputIsDivided) {
  EXPECT_EQ(Explained(Dataset::FromTextLines({"a", "b"}).Unique().Batch(8)),
            "auto_shard_policy: DATA (AUTO, and Unique needs the elements of "
            "all files)\n"
            "Rebatch(parts=4, first=2, kept=2)  # each batch in 4 parts, one "
            "for each replica of all workers; worker 1 keeps parts 2 to 3\n"
            "  Batch(size=8)\n"
            "    Unique\n"
            "      TextLines(files=[a, b])");
}

TEST(ExplainShardingTest, TheHintIsReplaced) {
  EXPECT_EQ(
      Explained(
          Dataset::Range(20)
              .Shard(kShardHint, 0)
              .Shard(2, 0)
              .Batch(8)
              .WithOptions({.auto_shard_policy = AutoShardPolicy::kHint})),
      std::string("auto_shard_policy: HINT (as its options say)\n") + kSteps +
          "  Options(auto_shard_policy=HINT)\n"
          "    Batch(size=8)\n"
          "      Shard(num_shards=2, index=0)\n"
          "        Shard(num_shards=2, index=1)  # worker 1 takes "
          "elements 1, 3, ...\n"
          "          Range(stop=20)");
}

TEST(ExplainShardingTest, UnderOffNothingIsSharded) {
  EXPECT_EQ(Explained(Dataset::Range(20).Batch(8).WithOptions(
                {.auto_shard_policy = AutoShardPolicy::kOff})),
            std::string("auto_shard_policy: OFF (as its options say)\n") +
                kSteps +
                "  Options(auto_shard_policy=OFF)\n"
                "    Batch(size=8)\n"
                "      Range(stop=20)");
}

}  // namespace
}  // namespace lockstep
