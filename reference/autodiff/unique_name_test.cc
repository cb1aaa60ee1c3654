#include "reference/autodiff/unique_name.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(UniqueNameTest, CountsEachBaseByItself) {
  ClearSession();
  EXPECT_EQ(UniqueName("conv2d"), "conv2d");
  EXPECT_EQ(UniqueName("conv2d"), "conv2d_1");
  EXPECT_EQ(UniqueName("dense"), "dense");
  EXPECT_EQ(UniqueName("conv2d"), "conv2d_2");
}

TEST(UniqueNameTest, ClearSessionStartsAgain) {
  UniqueName("conv2d");
  ClearSession();
  EXPECT_EQ(UniqueName("conv2d"), "conv2d");
}

}  // namespace
}  // namespace lockstep
