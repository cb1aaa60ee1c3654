#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

TEST(CacheTest, ReadsItsInputOnce) {
  auto calls = std::make_shared<int>(0);
  const Dataset cached = Dataset::Range(3)
                             .Map([calls](const Structure& x) {
                               ++*calls;
                               return x;
                             })
                             .Cache();
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1, 2}));
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1, 2}));
  EXPECT_EQ(*calls, 3);
}

TEST(CacheTest, KeepsTheOrderOfAShuffleBelow) {
  const Dataset cached = Dataset::Range(50).Shuffle(50, 3).Cache();
  const Numbers first = ReadNumbers(cached);
  EXPECT_EQ(ReadNumbers(cached), first);
  EXPECT_EQ(ReadNumbers(cached), first);
}

TEST(CacheTest, AnIncompletePassIsNotKept) {
  auto calls = std::make_shared<int>(0);
  const Dataset cached = Dataset::Range(3)
                             .Map([calls](const Structure& x) {
                               ++*calls;
                               return x;
                             })
                             .Cache();
  cached.MakeIterator().GetNext();
  EXPECT_EQ(*calls, 1);
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1, 2}));
  EXPECT_EQ(*calls, 4);
}

TEST(CacheTest, APassWithAnErrorIsNotKept) {
  auto fail = std::make_shared<bool>(true);
  const Dataset cached = Dataset::Range(3)
                             .Map([fail](const Structure& x) {
                               if (*fail && x.leaf().item<int64_t>() == 1) {
                                 throw DataLoss("[Read] damaged");
                               }
                               return x;
                             })
                             .Cache();
  DatasetIterator iterator = cached.MakeIterator();
  iterator.GetNext();
  ExpectError([&] { iterator.GetNext(); }, Code::kDataLoss, "damaged");
  EXPECT_EQ(iterator.GetNext().leaf().item<int64_t>(), 2);
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  *fail = false;
  EXPECT_EQ(ReadNumbers(cached), (Numbers{0, 1, 2}));
}

TEST(CacheTest, StaysAtTheEnd) {
  DatasetIterator iterator = Dataset::Range(0).Cache().MakeIterator();
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
}

TEST(CacheTest, SpecAndCardinalityAreTheInputs) {
  const Dataset cached = Dataset::Range(5).Batch(2).Cache();
  EXPECT_EQ(cached.cardinality(), 3);
  EXPECT_EQ(ToString(cached.element_spec().leaf()), "int64 (None,)");
}

}  // namespace
}  // namespace lockstep
