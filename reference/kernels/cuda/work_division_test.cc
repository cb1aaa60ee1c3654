#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "reference/kernels/cuda/reduction_plan.h"
#include "reference/kernels/cuda/strided_offset.h"
#include "reference/kernels/optimizer/cuda/variable_list.h"
#include "reference/tensor/shape.h"

namespace lockstep::cuda {
namespace {

TEST(StridedOffsetTest, NoAxes) {
  const StridedAxes axes{};
  EXPECT_EQ(axes.count(), 1);
  EXPECT_EQ(axes.Offset(0), 0);
}

TEST(StridedOffsetTest, RowMajorOrder) {
  StridedAxes axes;
  axes.Append(2, 100);
  axes.Append(3, 0);
  axes.Append(4, 10);
  EXPECT_EQ(axes.count(), 24);
  int64_t index = 0;
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t k = 0; k < 4; ++k) {
        EXPECT_EQ(axes.Offset(index++), 100 * i + 10 * k);
      }
    }
  }
}

TEST(StridedOffsetTest, LargeOffsets) {
  StridedAxes axes;
  axes.Append(int64_t{1} << 40, 2);
  axes.Append(5, 7);
  EXPECT_EQ(axes.Offset(5 * (int64_t{1} << 39) + 3), (int64_t{1} << 40) + 21);
}

// Sums an array of 1, 2, 3... in the GPU's order.
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

TEST(ReductionPlanTest, MatrixByColumns) {
  const ReductionPlan plan = PlanReduction(Shape{2, 3}, Shape{1, 3});
  EXPECT_FALSE(plan.along_rows);
  EXPECT_EQ(SumsBy(plan), (std::vector<double>{5, 7, 9}));
}

TEST(ReductionPlanTest, MatrixByRows) {
  const ReductionPlan plan = PlanReduction(Shape{2, 3}, Shape{2, 1});
  EXPECT_TRUE(plan.along_rows);
  EXPECT_EQ(SumsBy(plan), (std::vector<double>{6, 15}));
}

TEST(ReductionPlanTest, MergesContiguousAxes) {
  const ReductionPlan plan =
      PlanReduction(Shape{4, 5, 6, 7}, Shape{1, 1, 1, 7});
  EXPECT_EQ(plan.kept.rank, 1);
  EXPECT_EQ(plan.summed.rank, 1);
  EXPECT_EQ(plan.summed.count(), 120);
}

TEST(ReductionPlanTest, AxesBetween) {
  const ReductionPlan plan = PlanReduction(Shape{2, 2, 2}, Shape{1, 2, 1});
  EXPECT_TRUE(plan.along_rows);
  EXPECT_EQ(SumsBy(plan), (std::vector<double>{1 + 2 + 5 + 6, 3 + 4 + 7 + 8}));
}

TEST(ReductionPlanTest, NothingToSum) {
  const ReductionPlan plan = PlanReduction(Shape{1, 3}, Shape{1, 3});
  EXPECT_EQ(SumsBy(plan), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(SumsBy(PlanReduction(Shape{}, Shape{})), std::vector<double>{1});
}

TEST(ReductionPlanTest, DividesLongSums) {
  const ReductionPlan all = PlanReduction(Shape{10'000'000}, Shape{1});
  EXPECT_TRUE(all.along_rows);
  EXPECT_EQ(all.pieces, 256);
  EXPECT_GE(all.pieces * all.piece, 10'000'000);
  EXPECT_LT((all.pieces - 1) * all.piece, 10'000'000);
  const ReductionPlan bias =
      PlanReduction(Shape{64 * 26 * 26, 32}, Shape{1, 32});
  EXPECT_FALSE(bias.along_rows);
  EXPECT_EQ(bias.pieces, 256);  // 169 rows each, at most 22 per lane
  // A batch is one piece, and so one launch.
  EXPECT_EQ(PlanReduction(Shape{64, 10}, Shape{1, 10}).pieces, 1);
  // With as many sums as threads, each is one piece.
  EXPECT_EQ(PlanReduction(Shape{100, 100'000}, Shape{1, 100'000}).pieces, 1);
}

using List = VariableList<float>;

List::Item Count(int64_t count) {
  return {nullptr, nullptr, nullptr, nullptr, count};
}

TEST(VariableListTest, BlocksBelongToOneVariable) {
  List list;
  EXPECT_EQ(list.blocks(), 0);
  for (const int64_t count : {int64_t{1}, int64_t{0}, List::kBlockElements,
                              2 * List::kBlockElements + 1}) {
    EXPECT_TRUE(list.Append(Count(count)));
  }
  EXPECT_EQ(list.blocks(), 1 + 0 + 1 + 3);
  EXPECT_EQ(list.ItemOf(0), 0);
  EXPECT_EQ(list.ItemOf(1), 2);
  for (const int64_t block : {2, 3, 4}) {
    EXPECT_EQ(list.ItemOf(block), 3);
    EXPECT_EQ(list.FirstBlockOf(3), 2);
  }
}

// The variables of the Fashion-MNIST network, kernels and biases: two
// convolutions of 3 x 3 to 32 and 64 channels, 1600 to 64 and 64 to 10. A large
// GPU has 132 multiprocessors.
TEST(VariableListTest, SmallNetworkFillsAGpu) {
  List list;
  for (const int64_t count :
       {9 * 32, 32, 9 * 32 * 64, 64, 1600 * 64, 64, 64 * 10, 10}) {
    EXPECT_TRUE(list.Append(Count(count)));
  }
  EXPECT_EQ(list.blocks(), 1 + 1 + 18 + 1 + 100 + 1 + 1 + 1);
}

TEST(VariableListTest, LimitsTheSizeOfALaunch) {
  List list;
  for (int i = 0; i < List::kMost; ++i) EXPECT_TRUE(list.Append(Count(1)));
  EXPECT_FALSE(list.Append(Count(1)));
  List large;
  EXPECT_TRUE(large.Append(Count(int64_t{1} << 40)));
  EXPECT_FALSE(large.Append(Count(int64_t{1} << 41)));
  EXPECT_TRUE(large.Append(Count(5)));
  EXPECT_LE(sizeof(List), 4096u);  // the limit of a kernel's parameters
}

}  // namespace
}  // namespace lockstep::cuda
