#include "benchmarks/median.h"

#include <gtest/gtest.h>

namespace lockstep::benchmarks {
namespace {

TEST(MedianTest, IsTheMiddleOfAnOddNumber) {
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({7}), 7);
}

TEST(MedianTest, IsTheMeanOfTheTwoInTheMiddleOfAnEvenNumber) {
  EXPECT_EQ(Median({4, 3, 1, 2}), 2.5);
  EXPECT_EQ(Median({1, 2}), 1.5);
}

}  // namespace
}  // namespace lockstep::benchmarks
