#include "text_datasets/test_split.h"

#include <gtest/gtest.h>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

TEST(TestSplitTest, TakesTheShare) {
  const TestSplit split({.test_share = 0.2}), again({.test_share = 0.2});
  const TestSplit none({.test_share = 0}), all({.test_share = 1});
  const TestSplit other({.test_share = 0.2, .seed = 2});
  int tests = 0, differences = 0;
  for (int i = 0; i < 1000; ++i) {
    tests += split.IsTest(i);
    differences += split.IsTest(i) != other.IsTest(i);
    EXPECT_EQ(split.IsTest(i), again.IsTest(i));
    EXPECT_FALSE(none.IsTest(i));
    EXPECT_TRUE(all.IsTest(i));
  }
  // Five standard deviations of sqrt(1000 * 0.2 * 0.8) = 12.6.
  EXPECT_NEAR(tests, 200, 63);
  EXPECT_GT(differences, 0);
}

TEST(TestSplitTest, WantsAShare) {
  EXPECT_EQ(CodeOf([] { TestSplit({.test_share = 1.5}); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { TestSplit({.test_share = -0.5}); }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
