// Whole elements of workers that read all data once.
#include <gtest/gtest.h>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/data/sharding/auto_shard_testing.h"

namespace lockstep {
namespace {

// What worker `worker` of two reads.
Texts ElementsOf(int worker, const Dataset& dataset,
                 AutoShardPolicy policy = AutoShardPolicy::kAuto) {
  return ReadAll(
      ShardElements(dataset.WithOptions({.auto_shard_policy = policy}),
                    {.workers = 2, .worker = worker, .replicas = 2}));
}

TEST(ShardElementsTest, EverySecondElement) {
  const Dataset numbers = Dataset::Range(5);
  EXPECT_EQ(ElementsOf(0, numbers), (Texts{"0", "2", "4"}));
  EXPECT_EQ(ElementsOf(1, numbers), (Texts{"1", "3"}));
  const Dataset batches = numbers.Batch(2);
  EXPECT_EQ(ElementsOf(0, batches), (Texts{"[0, 1]", "[4]"}));
  EXPECT_EQ(ElementsOf(1, batches), (Texts{"[2, 3]"}));
}

TEST(ShardElementsTest, OfOneWorkerAndUnderOffAll) {
  const Dataset numbers = Dataset::Range(2);
  const Texts all = {"0", "1"};
  EXPECT_EQ(ReadAll(ShardElements(numbers, {})), all);
  EXPECT_EQ(ElementsOf(1, numbers, AutoShardPolicy::kOff), all);
}

TEST(ShardElementsTest, FilesOfAWorker) {
  const TestFolder folder;
  WriteWholeFile(folder / "a", "0\n1\n");
  WriteWholeFile(folder / "b", "2\n");
  const Dataset lines = Dataset::FromTextLines({folder / "a", folder / "b"});
  EXPECT_EQ(ElementsOf(0, lines), (Texts{"'0'", "'1'"}));
  EXPECT_EQ(ElementsOf(1, lines), Texts{"'2'"});
  EXPECT_EQ(ElementsOf(1, lines, AutoShardPolicy::kData), Texts{"'1'"});
  const Dataset one = Dataset::FromTextLines({folder / "a"});
  for (const int worker : {0, 1}) {
    EXPECT_EQ(CodeOf([&] { ElementsOf(worker, one); }), Code::kInvalidArgument);
  }
}

TEST(ShardElementsTest, WhereTheHintIs) {
  const Dataset pairs = Dataset::Range(4).Shard(kShardHint, 0).Batch(2);
  EXPECT_EQ(ElementsOf(0, pairs, AutoShardPolicy::kHint), Texts{"[0, 2]"});
  EXPECT_EQ(ElementsOf(1, pairs, AutoShardPolicy::kHint), Texts{"[1, 3]"});
}

TEST(ShardElementsTest, ElementsNeedAFixedOrder) {
  const Dataset any = Dataset::Range(4).Map(
      [](const Structure& x) { return x; },
      MapOptions{.num_parallel_calls = 2, .deterministic = false});
  EXPECT_EQ(CodeOf([&] { ElementsOf(0, any); }), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
