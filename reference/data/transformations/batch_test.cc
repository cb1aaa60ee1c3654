#include <gtest/gtest.h>

#include "reference/data/dataset.h"
#include "reference/data/dataset_testing.h"

namespace lockstep {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

// As Range, but made by a function: elements are not rows of a table.
Dataset Generated(int64_t stop) {
  return Dataset::Range(stop).Map([](const Structure& x) { return x; });
}

TEST(BatchTest, StacksAndKeepsAShortLastBatch) {
  const Texts expected = {"[0, 1, 2, 3]", "[4, 5]"};
  EXPECT_EQ(ReadAll(Dataset::Range(6).Batch(4)), expected);
  EXPECT_EQ(ReadAll(Generated(6).Batch(4)), expected);
}

TEST(BatchTest, DropsTheRemainderWhenAsked) {
  EXPECT_EQ(ReadAll(Dataset::Range(6).Batch(4, true)), Texts{"[0, 1, 2, 3]"});
  EXPECT_EQ(ReadAll(Generated(6).Batch(4, true)), Texts{"[0, 1, 2, 3]"});
  EXPECT_EQ(ReadAll(Dataset::Range(3).Batch(4, true)), Texts{});
}

TEST(BatchTest, StaysAtTheEnd) {
  DatasetIterator iterator = Dataset::Range(1).Batch(2).MakeIterator();
  iterator.GetNext();
  Structure element;
  EXPECT_FALSE(iterator.Next(&element));
  EXPECT_FALSE(iterator.Next(&element));
}

TEST(BatchTest, OfNothingIsNothing) {
  EXPECT_EQ(ReadAll(Dataset::Range(0).Batch(4)), Texts{});
}

TEST(BatchTest, MayBeFarLargerThanTheDataset) {
  EXPECT_EQ(ReadAll(Dataset::Range(3).Batch(int64_t{1} << 60)),
            Texts{"[0, 1, 2]"});
  EXPECT_EQ(ReadAll(Generated(3).Batch(int64_t{1} << 60)), Texts{"[0, 1, 2]"});
}

TEST(BatchTest, ReadsMoreThanOneStepOfRows) {
  const Dataset one = Dataset::Range(10000).Shuffle(10000, 1).Batch(9000);
  DatasetIterator iterator = one.MakeIterator();
  EXPECT_EQ(iterator.GetNext().leaf().dim(0), 9000);
  EXPECT_EQ(iterator.GetNext().leaf().dim(0), 1000);
}

TEST(BatchTest, OfBatchesAddsAnAxis) {
  EXPECT_EQ(ReadAll(Dataset::Range(4).Batch(2).Batch(2)),
            Texts{"[[0, 1], [2, 3]]"});
}

TEST(BatchTest, SpecHasAStaticSizeOnlyWithoutRemainder) {
  EXPECT_EQ(ToString(Dataset::Range(9).Batch(4).element_spec().leaf()),
            "int64 (None,)");
  EXPECT_EQ(ToString(Dataset::Range(9).Batch(4, true).element_spec().leaf()),
            "int64 (4,)");
}

TEST(BatchTest, CardinalityRoundsUpOrDown) {
  EXPECT_EQ(Dataset::Range(9).Batch(4).cardinality(), 3);
  EXPECT_EQ(Dataset::Range(8).Batch(4).cardinality(), 2);
  EXPECT_EQ(Dataset::Range(9).Batch(4, true).cardinality(), 2);
  EXPECT_EQ(Dataset::Range(9).Repeat().Batch(4).cardinality(),
            kInfiniteCardinality);
}

TEST(BatchTest, NeighbouringRowsAreAViewAndScatteredOnesACopy) {
  const Tensor rows = Tensor::FromVector<float>({1, 2, 3, 4}, Shape{4, 1});
  const Dataset source = Dataset::FromTensorSlices(rows);
  const Structure view = source.Batch(3).MakeIterator().GetNext();
  EXPECT_TRUE(view.leaf().SharesMemoryWith(rows));
  const Structure copy = source.Shard(2, 1).Batch(2).MakeIterator().GetNext();
  EXPECT_FALSE(copy.leaf().SharesMemoryWith(rows));
  EXPECT_EQ(ToText(copy), "[[2], [4]]");
}

TEST(BatchTest, UnlikeElementsAreRefusedAndReadingGoesOn) {
  Dataset uneven = Dataset::Range(4).Map([](const Structure& x) -> Structure {
    return Tensor::Zeros(Shape{x.leaf().item<int64_t>() == 1 ? 2 : 1});
  });
  DatasetIterator iterator = uneven.Batch(2).MakeIterator();
  ExpectError([&] { iterator.GetNext(); }, Code::kInvalidArgument,
              "[Batch] elements of one batch must be alike: in component 0 the "
              "first is float32 (1,), element 1 is float32 (2,)");
  EXPECT_EQ(ToText(iterator.GetNext()), "[[0], [0]]");
}

TEST(BatchTest, SizeMustBePositive) {
  ExpectError([] { Dataset::Range(4).Batch(0); }, Code::kInvalidArgument,
              "[Batch] batch size must be positive, got 0");
  ExpectError([] { Dataset::Range(4).Batch(-2); }, Code::kInvalidArgument,
              "got -2");
}

}  // namespace
}  // namespace lockstep
