// The documented loop of TensorFlow 1: iterators that must be initialised, and
// steps that run when their result is evaluated.

#include <gtest/gtest.h>

#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/base/error.h"
#include "reference/base/error_testing.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/graph_mode/deferred.h"
#include "reference/distribute/graph_mode/input_iterator.h"
#include "reference/distribute/mirrored_strategy.h"

namespace lockstep {
namespace {

TEST(InputIteratorTest, DividesEachBatchEqually) {
  const auto strategy = MakeStrategy(2);
  const InputIterator inputs =
      MakeDatasetIterator(*strategy, Dataset::Range(6).Batch(4));
  inputs.Initialize();
  EXPECT_EQ(ToString(inputs.GetNext()),
            "PerReplica:{\n  0: [0, 1],\n  1: [2, 3]\n}");
  EXPECT_EQ(ToString(inputs.GetNext()), "PerReplica:{\n  0: [4],\n  1: [5]\n}");
}

TEST(InputIteratorTest, FunctionGivesWholeBatches) {
  const auto strategy = MakeStrategy(2);
  const InputIterator inputs =
      MakeInputFnIterator(*strategy, [](const InputContext& context) {
        return Dataset::Range(4).Batch(context.GetPerReplicaBatchSize(2));
      });
  inputs.Initialize();
  EXPECT_EQ(ToString(inputs.GetNext()), "PerReplica:{\n  0: [0],\n  1: [1]\n}");
}

TEST(InputIteratorTest, InitializeRestarts) {
  const auto strategy = MakeStrategy(1);
  const InputIterator inputs =
      MakeDatasetIterator(*strategy, Dataset::Range(2).Batch(1));
  const InputIterator same = inputs;
  ExpectError([&] { inputs.GetNext(); }, Code::kFailedPrecondition,
              "was not initialised");
  for (int epoch = 0; epoch < 2; ++epoch) {
    same.Initialize();
    EXPECT_EQ(inputs.GetNext()[0].leaf().item<int64_t>(), 0);
    EXPECT_EQ(inputs.GetNext()[0].leaf().item<int64_t>(), 1);
    ExpectError([&] { inputs.GetNext(); }, Code::kOutOfRange, "End");
    ExpectError([&] { inputs.GetNext(); }, Code::kOutOfRange, "End");
  }
  inputs.Initialize();
  inputs.GetNext();
  inputs.Initialize();  // in the middle
  EXPECT_EQ(inputs.GetNext()[0].leaf().item<int64_t>(), 0);
}

// The sum of 1 to 4 over two batches and two replicas, one step per evaluation.
TEST(DeferredTest, EvaluatesOneStep) {
  const auto strategy = MakeStrategy(2);
  const VariablePtr sum = MakeIn(*strategy, 0, VariableAggregation::kSum);
  const InputIterator inputs = MakeDatasetIterator(
      *strategy, Dataset::Range(1, 5).Batch(2).Map([](const Structure& x) {
        return Structure(x.leaf().Cast(DType::kFloat32));
      }));
  int runs = 0;
  const auto parts = ExperimentalRun(
      *strategy,
      [&](const Structure& part) {
        const Tensor x = part.leaf().Row(0);
        sum->AssignAdd(x);
        return x;
      },
      inputs);
  const auto total = parts.Then([&](const PerReplica<Tensor>& each) {
    ++runs;
    return strategy->Reduce(ReduceOp::kSum, each);
  });
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(sum->Read().item<float>(), 0);
  ExpectError([&] { total.Evaluate(); }, Code::kFailedPrecondition,
              "was not initialised");
  inputs.Initialize();
  EXPECT_EQ(total.Evaluate().item<float>(), 3);
  EXPECT_EQ(sum->Read().item<float>(), 3);
  EXPECT_EQ(total.Evaluate().item<float>(), 7);
  EXPECT_EQ(sum->Read().item<float>(), 10);
  ExpectError([&] { total.Evaluate(); }, Code::kOutOfRange, "End");
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace lockstep
