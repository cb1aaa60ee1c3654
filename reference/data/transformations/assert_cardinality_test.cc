#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int64_t>;

// Over elements, over row numbers, and over an input of unknown cardinality.
std::vector<Dataset> OfFour() {
  return {Dataset::Range(4), Generated(4),
          Dataset::Range(8).Filter(
              [](const Structure& x) { return x.leaf().item<int64_t>() < 4; })};
}

TEST(AssertCardinalityTest, SetsTheCardinality) {
  for (const Dataset& four : OfFour()) {
    const Dataset asserted = four.AssertCardinality(4);
    EXPECT_EQ(asserted.cardinality(), 4);
    EXPECT_EQ(asserted.Batch(3).cardinality(), 2);
    EXPECT_EQ(ReadNumbers(asserted), (Numbers{0, 1, 2, 3}));
    EXPECT_EQ(ReadAll(asserted.Batch(3)), ReadAll(four.Batch(3)));
    EXPECT_EQ(ReadNumbers(asserted.Repeat(2)).size(), 8u);
  }
}

TEST(AssertCardinalityTest, FewerFailAtTheEnd) {
  for (const Dataset& four : OfFour()) {
    DatasetIterator iterator = four.AssertCardinality(5).MakeIterator();
    for (int i = 0; i < 4; ++i) iterator.GetNext();
    // At every further read, as in TensorFlow 2.21.
    for (int i = 0; i < 2; ++i) {
      ExpectError([&] { iterator.GetNext(); }, Code::kFailedPrecondition,
                  "[AssertCardinality] expected 5, got 4 elements");
    }
  }
}

TEST(AssertCardinalityTest, MoreFailAfterTheLast) {
  for (const Dataset& four : OfFour()) {
    DatasetIterator iterator = four.AssertCardinality(2).MakeIterator();
    for (int i = 0; i < 2; ++i) iterator.GetNext();
    ExpectError([&] { iterator.GetNext(); }, Code::kFailedPrecondition,
                "[AssertCardinality] expected 2, got at least 3 elements");
  }
}

TEST(AssertCardinalityTest, AllowsNoneAndInfinite) {
  EXPECT_EQ(ReadAll(Dataset::Range(0).AssertCardinality(0)).size(), 0u);
  ExpectError([] { ReadAll(Dataset::Range(1).AssertCardinality(0)); },
              Code::kFailedPrecondition, "expected 0, got at least 1");
  const Dataset endless = Generated(3).Repeat();
  EXPECT_EQ(
      ReadNumbers(endless.AssertCardinality(kInfiniteCardinality).Take(4)),
      (Numbers{0, 1, 2, 0}));
  ExpectError(
      [] {
        ReadAll(Dataset::Range(1).AssertCardinality(kInfiniteCardinality));
      },
      Code::kFailedPrecondition, "expected no end, got 1 elements");
}

TEST(AssertCardinalityTest, RefusesNegativeNumbers) {
  ExpectError([] { Dataset::Range(1).AssertCardinality(kUnknownCardinality); },
              Code::kInvalidArgument, "got -2");
}

}  // namespace
}  // namespace lockstep
