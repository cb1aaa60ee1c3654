#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(TakeTest, GivesTheFirst) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(5).Take(2)), (Numbers{0, 1}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(5).Take(0)), Numbers{});
  EXPECT_EQ(ReadNumbers(Dataset::Range(3).Take(9)), (Numbers{0, 1, 2}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(3).Take(-1)), (Numbers{0, 1, 2}));
  EXPECT_EQ(ReadAll(Dataset::Range(5).Batch(2).Take(1)), Texts{"[0, 1]"});
}

TEST(TakeTest, ReadsNoMoreThanItGives) {
  auto calls = std::make_shared<int>(0);
  const Dataset counted = Dataset::Range(9).Map([calls](const Structure& x) {
    ++*calls;
    return x;
  });
  EXPECT_EQ(ReadNumbers(counted.Take(2)), (Numbers{0, 1}));
  EXPECT_EQ(*calls, 2);
}

TEST(TakeTest, Cardinality) {
  const Dataset five = Dataset::Range(5);
  EXPECT_EQ(five.Take(2).cardinality(), 2);
  EXPECT_EQ(five.Take(9).cardinality(), 5);
  EXPECT_EQ(five.Take(-1).cardinality(), 5);
  EXPECT_EQ(five.Repeat().Take(9).cardinality(), 9);
  const Dataset unknown = five.Filter([](const Structure&) { return true; });
  EXPECT_EQ(unknown.Take(2).cardinality(), kUnknownCardinality);
}

}  // namespace
}  // namespace lockstep
