#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(ZipTest, EndsWithTheShortest) {
  const Dataset pairs =
      Dataset::Zip({Dataset::Range(3), Dataset::Range(10, 12)});
  EXPECT_EQ(ReadAll(pairs), (Texts{"(0, 10)", "(1, 11)"}));
  EXPECT_EQ(pairs.cardinality(), 2);
}

TEST(ZipTest, StaysAtTheEnd) {
  const Dataset pairs = Dataset::Zip({Dataset::Range(3), Dataset::Range(0)});
  DatasetIterator iterator = pairs.MakeIterator();
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
}

TEST(ZipTest, Cardinality) {
  const Dataset some = Dataset::Range(2);
  const Dataset infinite = some.Repeat();
  const Dataset unknown = some.Filter([](const Structure&) { return true; });
  EXPECT_EQ(Dataset::Zip({infinite, some}).cardinality(), 2);
  EXPECT_EQ(Dataset::Zip({infinite, infinite}).cardinality(),
            kInfiniteCardinality);
  EXPECT_EQ(Dataset::Zip({infinite, unknown}).cardinality(),
            kUnknownCardinality);
}

TEST(ZipTest, DifferentBatchSizesStayAsTheyAre) {
  const Dataset pairs =
      Dataset::Zip({Dataset::Range(2).Batch(1), Dataset::Range(4).Batch(2)});
  EXPECT_EQ(ReadAll(pairs), (Texts{"([0], [0, 1])", "([1], [2, 3])"}));
}

TEST(ZipTest, OfNothingIsRefused) {
  ExpectError([] { Dataset::Zip({}); }, Code::kInvalidArgument,
              "[Zip] there are no datasets");
}

}  // namespace
}  // namespace lockstep
