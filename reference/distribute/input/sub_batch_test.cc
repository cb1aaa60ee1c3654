#include "reference/distribute/input/sub_batch.h"

#include <gtest/gtest.h>

#include "reference/data/dataset_testing.h"

namespace lockstep::distribute_internal {
namespace {

TEST(SubBatchTest, IsAView) {
  const Tensor batch = Tensor::FromVector<float>({0, 1, 2, 3});
  EXPECT_TRUE(SubBatch(batch, 3, 0).leaf().SharesMemoryWith(batch));
}

TEST(SubBatchTest, ManyMoreReplicasThanRows) {
  const Tensor batch = Tensor::FromVector<float>({0, 1});
  EXPECT_EQ(ToText(SubBatch(batch, 1000, 1)), "[1]");
  EXPECT_EQ(ToText(SubBatch(batch, 1000, 999)), "[]");
}

TEST(SubBatchTest, OfNoRowsIsNoRows) {
  const Tensor batch = Tensor::Empty(Shape{0, 3});
  EXPECT_EQ(SubBatch(batch, 2, 1).leaf().shape(), (Shape{0, 3}));
}

TEST(SubBatchTest, SpecKeepsDimensionsThatAreKnown) {
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

}  // namespace
}  // namespace lockstep::distribute_internal
