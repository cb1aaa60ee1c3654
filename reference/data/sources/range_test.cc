#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(RangeTest, CountsToTheStop) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(3)), (Numbers{0, 1, 2}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(2, 5)), (Numbers{2, 3, 4}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(0, 7, 3)), (Numbers{0, 3, 6}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(5, 0, -2)), (Numbers{5, 3, 1}));
}

TEST(RangeTest, MayBeEmpty) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(0)), Numbers{});
  EXPECT_EQ(ReadNumbers(Dataset::Range(-3)), Numbers{});
  EXPECT_EQ(ReadNumbers(Dataset::Range(0, 5, -1)), Numbers{});
  EXPECT_EQ(Dataset::Range(5, 5).cardinality(), 0);
}

TEST(RangeTest, ElementsAreInt64Scalars) {
  EXPECT_EQ(ToString(Dataset::Range(3).element_spec().leaf()), "int64 ()");
  EXPECT_EQ(Describe(Dataset::Range(3).MakeIterator().GetNext().leaf()),
            "int64 ()");
}

TEST(RangeTest, CardinalityAtTheLimits) {
  EXPECT_EQ(Dataset::Range(0, 7, 3).cardinality(), 3);
  EXPECT_EQ(Dataset::Range(INT64_MAX).cardinality(), INT64_MAX);
  EXPECT_EQ(Dataset::Range(INT64_MIN, INT64_MAX, INT64_MAX).cardinality(), 3);
  EXPECT_EQ(ReadNumbers(Dataset::Range(INT64_MAX, INT64_MIN, INT64_MIN)),
            (Numbers{INT64_MAX, -1}));
}

TEST(RangeTest, ErrorsAreTyped) {
  ExpectError([] { Dataset::Range(0, 5, 0); }, Code::kInvalidArgument,
              "[Range] step must not be 0");
  ExpectError([] { Dataset::Range(INT64_MIN, INT64_MAX); },
              Code::kInvalidArgument, "too many");
}

}  // namespace
}  // namespace lockstep
