#include "reference/kernels/cuda/variable_list.h"

#include <gtest/gtest.h>

namespace lockstep::cuda {
namespace {

using List = VariableList<float>;

List::Item Count(int64_t count) {
  return {nullptr, nullptr, nullptr, nullptr, count};
}

TEST(VariableListTest, EveryBlockBelongsToOneVariable) {
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

TEST(VariableListTest, TakesNoMoreThanALaunchCan) {
  List list;
  for (int i = 0; i < List::kMost; ++i) EXPECT_TRUE(list.Append(Count(1)));
  EXPECT_FALSE(list.Append(Count(1)));
  List large;
  EXPECT_TRUE(large.Append(Count(int64_t{1} << 42)));
  EXPECT_FALSE(large.Append(Count(int64_t{1} << 43)));
  EXPECT_TRUE(large.Append(Count(5)));
  EXPECT_LE(sizeof(List), 4096u);  // what a kernel takes by value anywhere
}

}  // namespace
}  // namespace lockstep::cuda
