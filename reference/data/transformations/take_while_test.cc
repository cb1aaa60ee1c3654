// Expected values: TensorFlow 2.21.
#include <gtest/gtest.h>

#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int64_t>;

TEST(TakeWhileTest, EndsBeforeTheFirstThatFails) {
  const Dataset first = Dataset::Range(10).TakeWhile(
      [](const Structure& x) { return x.leaf().item<int64_t>() % 4 != 3; });
  EXPECT_EQ(ReadNumbers(first), (Numbers{0, 1, 2}));
  EXPECT_EQ(ReadNumbers(first.Repeat(2)), (Numbers{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(first.cardinality(), kUnknownCardinality);
  EXPECT_EQ(ToString(first.element_spec().leaf()), "int64 ()");
}

TEST(TakeWhileTest, AsksNothingAfterTheEnd) {
  int calls = 0;
  DatasetIterator none = Dataset::Range(10)
                             .TakeWhile([&](const Structure&) {
                               ++calls;
                               return false;
                             })
                             .MakeIterator();
  EXPECT_FALSE(none.GetNextAsOptional().has_value());
  EXPECT_FALSE(none.GetNextAsOptional().has_value());
  EXPECT_EQ(calls, 1);
}

TEST(TakeWhileTest, ErrorCostsOneElement) {
  DatasetIterator numbers = Dataset::Range(3)
                                .TakeWhile([](const Structure& x) {
                                  if (x.leaf().item<int64_t>() == 1) {
                                    throw DataLoss("[Read] damaged");
                                  }
                                  return true;
                                })
                                .MakeIterator();
  EXPECT_EQ(ToText(numbers.GetNext()), "0");
  ExpectError([&] { numbers.GetNext(); }, Code::kDataLoss, "damaged");
  EXPECT_EQ(ToText(numbers.GetNext()), "2");
}

TEST(TakeWhileTest, NeedsAPredicate) {
  ExpectError([] { Dataset::Range(1).TakeWhile(nullptr); },
              Code::kInvalidArgument, "[TakeWhile] there is no function");
}

}  // namespace
}  // namespace lockstep
