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

// The variables of the Fashion-MNIST network, kernels and biases: two
// convolutions of 3 x 3 to 32 and 64 channels, 1600 to 64 and 64 to 10. A large
// GPU has 132 multiprocessors.
TEST(VariableListTest, ASmallNetworkFillsAGpu) {
  List list;
  for (const int64_t count :
       {9 * 32, 32, 9 * 32 * 64, 64, 1600 * 64, 64, 64 * 10, 10}) {
    EXPECT_TRUE(list.Append(Count(count)));
  }
  EXPECT_EQ(list.blocks(), 1 + 1 + 18 + 1 + 100 + 1 + 1 + 1);
}

TEST(VariableListTest, TakesNoMoreThanALaunchCan) {
  List list;
  for (int i = 0; i < List::kMost; ++i) EXPECT_TRUE(list.Append(Count(1)));
  EXPECT_FALSE(list.Append(Count(1)));
  List large;
  EXPECT_TRUE(large.Append(Count(int64_t{1} << 40)));
  EXPECT_FALSE(large.Append(Count(int64_t{1} << 41)));
  EXPECT_TRUE(large.Append(Count(5)));
  EXPECT_LE(sizeof(List), 4096u);  // what a kernel takes by value anywhere
}

}  // namespace
}  // namespace lockstep::cuda
