#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(FilterTest, KeepsWhatThePredicateHoldsFor) {
  const Dataset even = Dataset::Range(7).Filter(
      [](const Structure& x) { return x.leaf().item<int64_t>() % 2 == 0; });
  EXPECT_EQ(ReadNumbers(even), (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(even.cardinality(), kUnknownCardinality);
  EXPECT_EQ(ToString(even.element_spec().leaf()), "int64 ()");
}

TEST(FilterTest, MayKeepNothing) {
  const Dataset none =
      Dataset::Range(7).Filter([](const Structure&) { return false; });
  EXPECT_EQ(ReadNumbers(none), Numbers{});
}

TEST(FilterTest, AnErrorCostsOneElement) {
  const Dataset failing = Dataset::Range(3).Filter([](const Structure& x) {
    if (x.leaf().item<int64_t>() == 1) throw DataLoss("[Read] damaged");
    return true;
  });
  DatasetIterator iterator = failing.MakeIterator();
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 0);
  ExpectError([&] { iterator.GetNext(); }, Code::kDataLoss, "damaged");
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 2);
}

TEST(FilterTest, NeedsAPredicate) {
  ExpectError([] { Dataset::Range(1).Filter(nullptr); }, Code::kInvalidArgument,
              "[Filter] there is no function");
}

}  // namespace
}  // namespace lockstep
