#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(ShardTest, TakesEveryNth) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(7).Shard(3, 0)), (Numbers{0, 3, 6}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(7).Shard(3, 2)), (Numbers{2, 5}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(2).Shard(5, 4)), Numbers{});
}

TEST(ShardTest, WorksOnElementsThatAreNotRows) {
  EXPECT_EQ(ReadAll(Dataset::Range(6).Batch(2).Shard(2, 1)), Texts{"[2, 3]"});
}

TEST(ShardTest, TogetherTheShardsAreTheWhole) {
  for (int64_t n = 0; n < 12; ++n) {
    for (int64_t shards = 1; shards < 6; ++shards) {
      int64_t counted = 0, read = 0;
      for (int64_t i = 0; i < shards; ++i) {
        const Dataset shard = Dataset::Range(n).Shard(shards, i);
        counted += shard.cardinality();
        read += std::ssize(ReadNumbers(shard));
      }
      EXPECT_EQ(counted, n);
      EXPECT_EQ(read, n);
    }
  }
}

TEST(ShardTest, LongInputs) {
  const Numbers numbers = ReadNumbers(Dataset::Range(5000).Shard(2000, 999));
  EXPECT_EQ(numbers, (Numbers{999, 2999, 4999}));
}

TEST(ShardTest, IndexMustLieBelowTheNumberOfShards) {
  ExpectError([] { Dataset::Range(1).Shard(0, 0); }, Code::kInvalidArgument,
              "[Shard] number of shards must be positive, got 0");
  ExpectError([] { Dataset::Range(1).Shard(2, 2); }, Code::kInvalidArgument,
              "[Shard] index must be in 0..1, got 2");
  ExpectError([] { Dataset::Range(1).Shard(2, -1); }, Code::kInvalidArgument,
              "got -1");
}

}  // namespace
}  // namespace lockstep
