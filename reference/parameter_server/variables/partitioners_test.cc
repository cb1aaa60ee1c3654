#include "reference/parameter_server/variables/partitioners.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

// What TensorFlow 2.21 returned for axis 0; where it fails or gives 0 (no rows)
// there is one shard here.
struct Row {
  TensorSpec spec;
  std::array<int64_t, 6> shards;
};

const Row kTable[] = {
    {{Shape{10, 3}}, {1, 1, 1, 4, 1, 1}},
    {{Shape{1000, 64}}, {1, 1, 8, 4, 1, 1}},
    {{Shape{100000, 64}}, {1, 3, 8, 4, 25, 5}},
    {{Shape{3, 100000}}, {1, 3, 3, 3, 2, 2}},
    {{Shape{7}, DType::kFloat64}, {1, 1, 1, 4, 1, 1}},
    {{Shape{1000, 64}, DType::kString}, {1, 3, 8, 4, 1, 1}},
    {{Shape{0, 4}}, {1, 1, 1, 1, 1, 1}},
};

std::array<int64_t, 6> ShardsOfAll(const TensorSpec& spec) {
  return {
      MinSizePartitioner()(spec),        MinSizePartitioner(256 << 10, 3)(spec),
      MinSizePartitioner(1024, 8)(spec), FixedShardsPartitioner(4)(spec),
      MaxSizePartitioner(1 << 20)(spec), MaxSizePartitioner(1 << 20, 5)(spec)};
}

TEST(PartitionersTest, GiveTensorFlowsNumbers) {
  for (const Row& row : kTable) {
    EXPECT_EQ(ShardsOfAll(row.spec), row.shards) << ToString(row.spec);
  }
}

// The shapes that TensorFlow 2.21 made of variables with these partitioners.
TEST(PartitionersTest, GiveTensorFlowsShapes) {
  const MaxSizePartitioner max(16);
  EXPECT_EQ(max({Shape{10, 3}}), 10);
  EXPECT_EQ(max({Shape{5}}), 2);
  EXPECT_EQ(max({Shape{3, 2}}), 2);
  EXPECT_EQ(max({Shape{4, 4}}), 4);
  EXPECT_EQ(max({Shape{7, 1}}), 2);
  EXPECT_EQ(max({Shape{4}, DType::kString}), 4);
  const MinSizePartitioner min(16, 2);
  for (const Shape& shape :
       {Shape{10, 3}, Shape{5}, Shape{3, 2}, Shape{4, 4}, Shape{7, 1}}) {
    EXPECT_EQ(min({shape}), 2) << ToString(shape);
    EXPECT_EQ(FixedShardsPartitioner(2)({shape}), 2) << ToString(shape);
  }
  EXPECT_EQ(MaxSizePartitioner(16)({Shape{3, 0}}), 1);
}

TEST(PartitionersTest, FirstShardsAreLarger) {
  EXPECT_EQ(RowsOfShards(10, 2), (std::vector<int64_t>{5, 5}));
  EXPECT_EQ(RowsOfShards(5, 2), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(RowsOfShards(10, 4), (std::vector<int64_t>{3, 3, 2, 2}));
  EXPECT_EQ(RowsOfShards(3, 3), (std::vector<int64_t>{1, 1, 1}));
}

TEST(PartitionersTest, RefuseOtherNumbers) {
  const auto refuse = [](const std::function<void()>& make,
                         const std::string& words) {
    ExpectError(make, Code::kInvalidArgument, words);
  };
  refuse([] { FixedShardsPartitioner(0); },
         "[FixedShardsPartitioner] num_shards must be positive, got 0");
  refuse([] { MinSizePartitioner(0); },
         "[MinSizePartitioner] min_shard_bytes must be positive, got 0");
  refuse([] { MinSizePartitioner(1, 0); },
         "[MinSizePartitioner] max_shards must be positive, got 0");
  refuse([] { MaxSizePartitioner(0); },
         "[MaxSizePartitioner] max_shard_bytes must be positive, got 0");
  refuse([] { MaxSizePartitioner(1, -1); },
         "[MaxSizePartitioner] max_shards must be positive, got -1");
}

TEST(PartitionersTest, RefuseScalars) {
  const TensorSpec scalar;
  for (const auto& partition :
       {std::function<int64_t(const TensorSpec&)>(FixedShardsPartitioner(2)),
        std::function<int64_t(const TensorSpec&)>(MinSizePartitioner()),
        std::function<int64_t(const TensorSpec&)>(MaxSizePartitioner(1))}) {
    ExpectError([&] { partition(scalar); }, Code::kInvalidArgument,
                "only a shape with rows");
  }
}

}  // namespace
}  // namespace lockstep
