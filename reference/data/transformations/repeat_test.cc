#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

Dataset Generated(int64_t stop) {
  return Dataset::Range(stop).Map([](const Structure& x) { return x; });
}

TEST(RepeatTest, RunsPassAfterPass) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(2).Repeat(3)),
            (Numbers{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(ReadNumbers(Generated(2).Repeat(2)), (Numbers{0, 1, 0, 1}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(2).Repeat(0)), Numbers{});
}

TEST(RepeatTest, ForEver) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(3).Repeat().Take(7)),
            (Numbers{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(ReadNumbers(Generated(3).Repeat(-1).Take(4)),
            (Numbers{0, 1, 2, 0}));
}

TEST(RepeatTest, AnEmptyInputEndsEvenForEver) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(0).Repeat()), Numbers{});
  const Dataset none =
      Dataset::Range(5).Filter([](const Structure&) { return false; });
  EXPECT_EQ(ReadNumbers(none.Repeat()), Numbers{});
}

TEST(RepeatTest, BatchesBeforeAndAfter) {
  EXPECT_EQ(ReadAll(Dataset::Range(3).Batch(2).Repeat(2)),
            (Texts{"[0, 1]", "[2]", "[0, 1]", "[2]"}));
  EXPECT_EQ(ReadAll(Dataset::Range(3).Repeat(2).Batch(2)),
            (Texts{"[0, 1]", "[2, 0]", "[1, 2]"}));
}

TEST(RepeatTest, Cardinality) {
  const Dataset three = Dataset::Range(3);
  EXPECT_EQ(three.Repeat(2).cardinality(), 6);
  EXPECT_EQ(three.Repeat(0).cardinality(), 0);
  EXPECT_EQ(three.Repeat().cardinality(), kInfiniteCardinality);
  EXPECT_EQ(Dataset::Range(0).Repeat().cardinality(), 0);
  EXPECT_EQ(three.Repeat().Repeat(2).cardinality(), kInfiniteCardinality);
  EXPECT_EQ(three.Repeat(INT64_MAX).cardinality(), kInfiniteCardinality);
  const Dataset unknown = three.Filter([](const Structure&) { return true; });
  EXPECT_EQ(unknown.Repeat(2).cardinality(), kUnknownCardinality);
  EXPECT_EQ(unknown.Repeat().cardinality(), kInfiniteCardinality);
}

}  // namespace
}  // namespace lockstep
