#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(SkipTest, LeavesOutTheFirst) {
  EXPECT_EQ(ReadNumbers(Dataset::Range(5).Skip(3)), (Numbers{3, 4}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(5).Skip(0)), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(ReadNumbers(Dataset::Range(5).Skip(9)), Numbers{});
  EXPECT_EQ(ReadNumbers(Dataset::Range(5).Skip(-1)), Numbers{});
  EXPECT_EQ(ReadAll(Dataset::Range(5).Batch(2).Skip(2)), Texts{"[4]"});
}

TEST(SkipTest, Cardinality) {
  EXPECT_EQ(Dataset::Range(5).Skip(3).cardinality(), 2);
  EXPECT_EQ(Dataset::Range(5).Skip(9).cardinality(), 0);
  EXPECT_EQ(Dataset::Range(5).Skip(-1).cardinality(), 0);
  EXPECT_EQ(Dataset::Range(5).Repeat().Skip(3).cardinality(),
            kInfiniteCardinality);
}

}  // namespace
}  // namespace lockstep
