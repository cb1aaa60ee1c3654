#include "reference/kernels/cuda/reduction_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "reference/tensor/shape.h"

namespace lockstep::cuda {
namespace {

// Sums an array of 1, 2, 3... as the GPU does it, thread after thread.
std::vector<double> SumsBy(const ReductionPlan& plan) {
  std::vector<double> sums(plan.kept.count());
  const int64_t count = plan.summed.count();
  for (int64_t sum = 0; sum < plan.kept.count(); ++sum) {
    for (int64_t piece = 0; piece < plan.pieces; ++piece) {
      const int64_t end = std::min((piece + 1) * plan.piece, count);
      for (int64_t i = piece * plan.piece; i < end; ++i) {
        sums[sum] += 1.0 + plan.kept.Offset(sum) + plan.summed.Offset(i);
      }
    }
  }
  return sums;
}

TEST(ReductionPlanTest, AMatrixByColumns) {
  const ReductionPlan plan = PlanReduction(Shape{2, 3}, Shape{1, 3});
  EXPECT_FALSE(plan.along_rows);
  EXPECT_EQ(SumsBy(plan), (std::vector<double>{5, 7, 9}));
}

TEST(ReductionPlanTest, AMatrixByRows) {
  const ReductionPlan plan = PlanReduction(Shape{2, 3}, Shape{2, 1});
  EXPECT_TRUE(plan.along_rows);
  EXPECT_EQ(SumsBy(plan), (std::vector<double>{6, 15}));
}

TEST(ReductionPlanTest, AxesThatContinueAreOne) {
  const ReductionPlan plan =
      PlanReduction(Shape{4, 5, 6, 7}, Shape{1, 1, 1, 7});
  EXPECT_EQ(plan.kept.rank, 1);
  EXPECT_EQ(plan.summed.rank, 1);
  EXPECT_EQ(plan.summed.count(), 120);
}

TEST(ReductionPlanTest, AxesInBetween) {
  const ReductionPlan plan = PlanReduction(Shape{2, 2, 2}, Shape{1, 2, 1});
  EXPECT_TRUE(plan.along_rows);
  EXPECT_EQ(SumsBy(plan), (std::vector<double>{1 + 2 + 5 + 6, 3 + 4 + 7 + 8}));
}

TEST(ReductionPlanTest, NothingToSumCopies) {
  const ReductionPlan plan = PlanReduction(Shape{1, 3}, Shape{1, 3});
  EXPECT_EQ(SumsBy(plan), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(SumsBy(PlanReduction(Shape{}, Shape{})), std::vector<double>{1});
}

TEST(ReductionPlanTest, LongSumsAreSharedByManyThreads) {
  const ReductionPlan all = PlanReduction(Shape{10'000'000}, Shape{1});
  EXPECT_TRUE(all.along_rows);
  EXPECT_EQ(all.pieces, 256);
  EXPECT_GE(all.pieces * all.piece, 10'000'000);
  EXPECT_LT((all.pieces - 1) * all.piece, 10'000'000);
  const ReductionPlan bias =
      PlanReduction(Shape{64 * 26 * 26, 32}, Shape{1, 32});
  EXPECT_FALSE(bias.along_rows);
  EXPECT_EQ(bias.pieces, 256);  // 169 rows each, 22 a lane at most
  // A batch is one piece, and with it one launch.
  EXPECT_EQ(PlanReduction(Shape{64, 10}, Shape{1, 10}).pieces, 1);
  // As many sums as threads are wanted: each is one piece.
  EXPECT_EQ(PlanReduction(Shape{100, 100'000}, Shape{1, 100'000}).pieces, 1);
}

}  // namespace
}  // namespace lockstep::cuda
