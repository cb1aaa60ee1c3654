#include "reference/distribute/input/distributed_iterator.h"

#include <gtest/gtest.h>

#include "reference/autodiff/distribution_context.h"
#include "reference/data/dataset_testing.h"
#include "reference/distribute/input/distribute_dataset.h"
#include "reference/distribute/input/distributed_dataset_testing.h"

namespace lockstep {
namespace {

DistributedDataset FiveByTwo() {
  return DistributeDataset(CpuDevices(2), Dataset::Range(5).Batch(2));
}

TEST(DistributedIteratorTest, EveryWayOfReadingGivesTheSame) {
  DistributedIterator a = FiveByTwo().MakeIterator();
  DistributedIterator b = FiveByTwo().MakeIterator();
  for (const auto& step : FiveByTwo()) {
    EXPECT_EQ(ToText(a.GetNext()), ToText(step));
    EXPECT_EQ(ToText(b.GetNextAsOptional().GetValue()), ToText(step));
  }
}

TEST(DistributedIteratorTest, GetNextThrowsOutOfRangeAtTheEndEachTime) {
  DistributedIterator iterator = FiveByTwo().MakeIterator();
  for (int i = 0; i < 3; ++i) iterator.GetNext();
  for (int i = 0; i < 2; ++i) {
    ExpectError([&] { iterator.GetNext(); }, Code::kOutOfRange,
                "End of sequence");
  }
}

TEST(DistributedIteratorTest, TheOptionalIsWithoutValueAtTheEndForEver) {
  DistributedIterator iterator = FiveByTwo().MakeIterator();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(iterator.GetNextAsOptional().has_value());
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(iterator.GetNextAsOptional().has_value());
  }
  EXPECT_FALSE(DistributeDataset(CpuDevices(2), Dataset::Range(0).Batch(2))
                   .MakeIterator()
                   .GetNextAsOptional()
                   .has_value());
}

TEST(DistributedIteratorTest, AnEmptyOptionalHasNoValueToGive) {
  const Optional<PerReplica<Structure>> none;
  ExpectError([&] { none.GetValue(); }, Code::kInvalidArgument,
              "The given optional does not have a value.");
}

TEST(DistributedIteratorTest, SpecIsTheDatasets) {
  EXPECT_EQ(FiveByTwo().MakeIterator().element_spec()[1].leaf(),
            FiveByTwo().element_spec()[1].leaf());
}

TEST(DistributedIteratorTest, InfiniteInputGivesNoPartialSteps) {
  DistributedIterator iterator =
      DistributeDataset(CpuDevices(2), Dataset::Range(3).Repeat().Batch(2))
          .MakeIterator();
  EXPECT_EQ(ToText(iterator.GetNext()), "[0] [1]");
  EXPECT_EQ(ToText(iterator.GetNext()), "[2] [0]");
  EXPECT_EQ(ToText(iterator.GetNext()), "[1] [2]");
}

class InsideRun final : public DistributionContext {
 public:
  bool has_strategy() const override { return true; }
};

TEST(DistributedIteratorTest, ReplicasMustNotRead) {
  DistributedIterator iterator = FiveByTwo().MakeIterator();
  InsideRun context;
  {
    DistributionContextScope scope(context);
    ExpectError([&] { iterator.GetNext(); }, Code::kFailedPrecondition,
                "should be called from outside of replica_fn");
  }
  EXPECT_EQ(ToText(iterator.GetNext()), "[0] [1]");
}

}  // namespace
}  // namespace lockstep
