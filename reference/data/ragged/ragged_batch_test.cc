// Expected values: TensorFlow 2.21.
#include "reference/data/ragged/ragged_batch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/data/dataset_testing.h"
#include "reference/data/ragged/ragged.h"
#include "reference/data/sharding/auto_shard.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;

// [], [0], [0, 1], [0, 1, 2].
Dataset Sequences() {
  return Dataset::Range(4).Map(
      [](const Structure& x) -> Structure {
        std::vector<int64_t> numbers(x.leaf().item<int64_t>());
        for (size_t i = 0; i < numbers.size(); ++i) {
          numbers[i] = static_cast<int64_t>(i);
        }
        return Tensor::FromVector<int64_t>(numbers);
      },
      TensorSpec{Shape{kUnknownDim}, DType::kInt64});
}

TEST(RaggedBatchTest, KeepsTheLengths) {
  const Dataset batches = RaggedBatch(Sequences(), 3);
  EXPECT_EQ(ReadAll(batches),
            (Texts{"{row_splits: [0, 0, 1, 3], values: [0, 0, 1]}",
                   "{row_splits: [0, 3], values: [0, 1, 2]}"}));
  EXPECT_EQ(ToString(batches.element_spec()),
            "{'row_splits': int64 (None,), 'values': int64 (None,)}");
  EXPECT_EQ(batches.cardinality(), 2);
  EXPECT_EQ(ReadAll(RaggedBatch(Sequences(), 3, /*drop_remainder=*/true)),
            (Texts{"{row_splits: [0, 0, 1, 3], values: [0, 0, 1]}"}));
}

TEST(RaggedBatchTest, StacksWhatHasAKnownShape) {
  const Dataset pairs = Dataset::Zip({Dataset::Range(4), Sequences()});
  EXPECT_EQ(ReadAll(RaggedBatch(pairs, 3)),
            (Texts{"([0, 1, 2], {row_splits: [0, 0, 1, 3], values: [0, 0, 1]})",
                   "([3], {row_splits: [0, 3], values: [0, 1, 2]})"}));
}

TEST(RaggedBatchTest, UnbatchTakesRowsApart) {
  const Dataset rows =
      RaggedBatch(Dataset::Zip({Dataset::Range(4), Sequences()}), 3).Unbatch();
  EXPECT_EQ(ReadAll(rows),
            (Texts{"(0, [])", "(1, [0])", "(2, [0, 1])", "(3, [0, 1, 2])"}));
  EXPECT_EQ(ToString(rows.element_spec()), "(int64 (), int64 (None,))");
}

TEST(RaggedBatchTest, BecomesDenseInMap) {
  const Dataset dense =
      RaggedBatch(Sequences(), 3)
          .Prefetch(1)
          .Map(
              [](const Structure& ragged) -> Structure {
                return RaggedToDense(ragged);
              },
              TensorSpec{Shape{kUnknownDim, kUnknownDim}, DType::kInt64});
  EXPECT_EQ(ReadAll(dense), (Texts{"[[0, 0], [0, 0], [0, 1]]", "[[0, 1, 2]]"}));
}

// As a dense batch: ceil(size / replicas) rows each until none are left.
TEST(RaggedBatchTest, ReplicasDivideRows) {
  const Dataset batches =
      RaggedBatch(Dataset::Zip({Dataset::Range(4), Sequences()}), 3);
  EXPECT_EQ(ReadAll(AutoShard(batches, {.replicas = 2})),
            (Texts{"([0, 1], {row_splits: [0, 0, 1], values: [0]})",
                   "([2], {row_splits: [0, 2], values: [0, 1]})",
                   "([3], {row_splits: [0, 3], values: [0, 1, 2]})",
                   "([], {row_splits: [0], values: []})"}));
  EXPECT_EQ(
      ReadAll(AutoShard(batches, {.workers = 2, .worker = 1, .replicas = 2})),
      (Texts{"([2], {row_splits: [0, 2], values: [0, 1]})",
             "([], {row_splits: [0], values: []})"}));
  EXPECT_EQ(ToString(AutoShard(batches, {.replicas = 2}).element_spec()),
            "(int64 (None,), {'row_splits': int64 (None,), 'values': int64 "
            "(None,)})");
}

TEST(RaggedBatchTest, RefusesWhatIsNotRagged) {
  ExpectError([] { RaggedBatch(Sequences(), 0); }, Code::kInvalidArgument,
              "[RaggedBatch] batch size must be positive, got 0");
  const Dataset images = Sequences().Map(
      [](const Structure& x) -> Structure {
        return x.leaf().Reshape(Shape{1, x.leaf().dim(0)});
      },
      TensorSpec{Shape{1, kUnknownDim}, DType::kInt64});
  ExpectError(
      [&] { ReadAll(RaggedBatch(images, 2)); }, Code::kInvalidArgument,
      "[RaggedBatch] only the first dimension of a leaf may be unknown, "
      "got int64 (1, None)");
}

}  // namespace
}  // namespace lockstep
