// Elements whose order differs from worker to worker are divided by files only.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/file_testing.h"
#include "reference/data/sharding/auto_shard_testing.h"

namespace lockstep {
namespace {

Dataset Unordered(const Dataset& dataset) {
  return dataset.Map([](const Structure& x) { return x; },
                     {.num_parallel_calls = 2, .deterministic = false});
}

Dataset ReadLines(const Structure& name) {
  return Dataset::FromTextLines({name.leaf().item<std::string>()});
}

TEST(UnorderedTest, DataRefusesIt) {
  ExpectError([] { StepsOf(0, 1, Unordered(Dataset::Range(8)).Batch(2)); },
              Code::kInvalidArgument,
              "[AutoShard] under the policy DATA workers divide the elements "
              "of Map, which have another order on each worker; make it "
              "deterministic, or use FILE");
  const Dataset turns = Dataset::Range(8).Interleave(
      [](const Structure& x) { return Dataset::FromTensors(x); },
      {.cycle_length = 2, .num_parallel_calls = 2, .deterministic = false});
  ExpectError([&] { StepsOf(0, 1, turns.Batch(2)); }, Code::kInvalidArgument,
              "the elements of Interleave");
}

TEST(UnorderedTest, HintRefusesItBeforeTheShard) {
  const Dataset numbers = Dataset::Range(8);
  ExpectError(
      [&] {
        StepsOf(0, 1, Unordered(numbers).Shard(kShardHint, 0).Batch(4),
                AutoShardPolicy::kHint);
      },
      Code::kInvalidArgument, "under the policy HINT");
  const Dataset after = Unordered(numbers.Shard(kShardHint, 0)).Batch(4);
  EXPECT_EQ(StepsOf(0, 1, after, AutoShardPolicy::kHint).size(), 2u);
}

TEST(UnorderedTest, OneWorkerAndOffReadIt) {
  const Dataset batches = Unordered(Dataset::Range(8)).Batch(8);
  EXPECT_EQ(ReadNumbers(AutoShard(batches, {.replicas = 2})).size(), 8u);
  EXPECT_EQ(StepsOf(1, 1, batches, AutoShardPolicy::kOff).size(), 2u);
}

TEST(UnorderedTest, WithoutThreadsItIsOrdered) {
  const Dataset batches =
      Dataset::Range(4)
          .Map([](const Structure& x) { return x; }, {.deterministic = false})
          .Batch(4);
  EXPECT_EQ(StepsOf(1, 1, batches), (Texts{"[2, 3]"}));
}

TEST(UnorderedTest, FilesDivideIt) {
  const TestFolder folder;
  WriteWholeFile(folder / "part-0", "0\n1\n");
  WriteWholeFile(folder / "part-1", "2\n3\n");
  const Dataset names =
      Dataset::ListFiles({folder / "part-*"}, /*shuffle=*/false);
  EXPECT_EQ(StepsOf(1, 1, Unordered(names.FlatMap(ReadLines)).Batch(2)).size(),
            2u);
  ExpectError(
      [&] { StepsOf(1, 1, Unordered(names).FlatMap(ReadLines).Batch(2)); },
      Code::kInvalidArgument, "under the policy FILE");
}

}  // namespace
}  // namespace lockstep
