#include "reference/data/transformations/even_batches.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

using Rows = std::vector<std::vector<int64_t>>;

Rows BatchesOf(const Dataset& batches) {
  Rows rows;
  for (const Structure& batch : batches) {
    const auto span = batch.leaf().span<int64_t>();
    rows.emplace_back(span.begin(), span.end());
  }
  EXPECT_EQ(batches.cardinality(), std::ssize(rows));
  return rows;
}

EvenBatchOptions Padded(int64_t batch_size, int64_t shares,
                        const std::vector<int64_t>& padding) {
  return {.batch_size = batch_size,
          .shares = shares,
          .padding = Structure(Tensor::FromVector(padding))};
}

TEST(EvenBatchesTest, DropsRows) {
  const auto dropped = [](int64_t examples, int64_t batch, int64_t shares) {
    return BatchesOf(EvenBatches(Dataset::Range(examples),
                                 {.batch_size = batch, .shares = shares}));
  };
  EXPECT_EQ(dropped(7, 4, 2), (Rows{{0, 1, 2, 3}, {4, 5}}));
  EXPECT_EQ(dropped(5, 4, 2), (Rows{{0, 1, 2, 3}}));
  EXPECT_EQ(dropped(8, 4, 2), (Rows{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  // Rows of full batches too, and all rows of batches that are too small.
  EXPECT_EQ(dropped(7, 4, 3), (Rows{{0, 1, 2}, {4, 5, 6}}));
  EXPECT_EQ(dropped(7, 2, 3), Rows());
}

TEST(EvenBatchesTest, PadsWithRows) {
  EXPECT_EQ(BatchesOf(EvenBatches(Dataset::Range(5), Padded(4, 2, {0, 1}))),
            (Rows{{0, 1, 2, 3}, {4, 0}}));
  EXPECT_EQ(BatchesOf(EvenBatches(Dataset::Range(4), Padded(4, 2, {0, 1}))),
            (Rows{{0, 1, 2, 3}}));
  EXPECT_EQ(BatchesOf(EvenBatches(Dataset::Range(5), Padded(4, 4, {7, 8}))),
            (Rows{{0, 1, 2, 3}, {4, 7, 8, 7}}));
}

TEST(EvenBatchesTest, DropsRowsAfterAShuffle) {
  const Dataset shuffled = Dataset::Range(5).Shuffle(5, /*seed=*/1);
  std::vector<int64_t> order;
  for (const Structure& element : shuffled) {
    order.push_back(element.leaf().item<int64_t>());
  }
  const Rows rows =
      BatchesOf(EvenBatches(Dataset::Range(5).Shuffle(5, /*seed=*/1),
                            {.batch_size = 4, .shares = 4}));
  EXPECT_EQ(rows, (Rows{{order.begin(), order.begin() + 4}}));
}

TEST(EvenBatchesTest, RefusesInvalidOptions) {
  const auto code = [](const Dataset& examples,
                       const EvenBatchOptions& options) {
    return CodeOf([&] { EvenBatches(examples, options); });
  };
  const Dataset two = Dataset::Range(2);
  EXPECT_EQ(code(two, {.batch_size = 0}), Code::kInvalidArgument);
  EXPECT_EQ(code(two, {.shares = 0}), Code::kInvalidArgument);
  EXPECT_EQ(code(two, Padded(2, 2, {})), Code::kInvalidArgument);
  EXPECT_EQ(code(two.Repeat(), {.shares = 2}), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
