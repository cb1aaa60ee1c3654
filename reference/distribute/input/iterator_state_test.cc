#include "reference/distribute/input/iterator_state.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/distribute/input/distributed_dataset_testing.h"

namespace lockstep {
namespace {

std::shared_ptr<DistributedIterator> ShuffledPairs(int64_t numbers = 8) {
  return std::make_shared<DistributedIterator>(
      DistributeDataset(Topology::OneWorker(1), CpuDevices(1),
                        Dataset::Range(numbers).Shuffle(8, /*seed=*/1).Batch(2))
          .MakeIterator());
}

Tensor Saved(IteratorState& state) { return state.values()[0].save(); }

void Restore(IteratorState& state, const Tensor& saved) {
  state.values()[0].restore(saved);
}

std::vector<std::string> Rest(DistributedIterator& iterator) {
  std::vector<std::string> steps;
  PerReplica<Structure> step;
  while (iterator.Next(&step)) steps.push_back(ToText(step));
  return steps;
}

TEST(IteratorStateTest, ResumesWhereItWasSaved) {
  const auto iterator = ShuffledPairs();
  IteratorState state(iterator);
  iterator->GetNext();
  const Tensor saved = Saved(state);
  const std::vector<std::string> rest = Rest(*iterator);
  EXPECT_EQ(rest.size(), 3u);
  Restore(state, saved);
  EXPECT_EQ(Rest(*iterator), rest);

  const auto other = ShuffledPairs();
  Rest(*other);
  IteratorState of_other(other);
  Restore(of_other, saved);
  EXPECT_EQ(Rest(*other), rest);
}

TEST(IteratorStateTest, RefusesOtherDataAndDamage) {
  const auto iterator = ShuffledPairs();
  Rest(*iterator);
  IteratorState state(iterator);
  const Tensor at_end = Saved(state);
  IteratorState shorter(ShuffledPairs(/*numbers=*/2));
  EXPECT_EQ(CodeOf([&] { Restore(shorter, at_end); }), Code::kInvalidArgument);
  for (const char* text : {"", "x", "-1 0 0 Batch", "3 0 2 1", "3 0 0",
                           "3 -1 0 Batch", "3 0 99999999999999999999 Batch"}) {
    EXPECT_EQ(
        CodeOf([&] { Restore(state, Tensor::Scalar<std::string>(text)); }),
        Code::kDataLoss)
        << text;
  }
}

}  // namespace
}  // namespace lockstep
