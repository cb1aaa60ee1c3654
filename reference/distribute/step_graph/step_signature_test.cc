// The signature of a step's batches. Expected values are doubled by hand.

#include <gtest/gtest.h>

#include <string>

#include "reference/autodiff/ops/math_ops.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/distribute/input/distributed_dataset.h"
#include "reference/distribute/step_graph/step_graph.h"

namespace lockstep {
namespace {

using Results = std::vector<std::vector<std::vector<int64_t>>>;

class StepSignatureTest : public testing::Test {
 protected:
  // Of 0, 1, ..., in batches of four over two replicas.
  DistributedDataset Numbers(int64_t count) {
    return strategy_->DistributeDataset(Dataset::Range(count).Batch(4));
  }
  StepGraph<Tensor> MakeStep(const StepGraphOptions& options = {}) {
    return StepGraph<Tensor>(
        *strategy_,
        [this](const Structure& part) {
          ++runs_;
          return ops::Add(part.leaf(), part.leaf());
        },
        options);
  }
  static Results RunAll(StepGraph<Tensor>& step,
                        const DistributedDataset& inputs) {
    Results results;
    for (const PerReplica<Structure>& batch : inputs) {
      results.emplace_back();
      for (const Tensor& own : step.Run(batch)) {
        results.back().push_back(own.ToVector<int64_t>());
      }
    }
    return results;
  }
  static PerReplica<Structure> Batch(const Tensor& on_each, int replicas = 2) {
    return PerReplica<Structure>(std::vector<Structure>(replicas, on_each));
  }

  const std::unique_ptr<MirroredStrategy> strategy_ = MakeStrategy(2);
  std::atomic<int> runs_ = 0;
};

TEST_F(StepSignatureTest, SpecOfTheDataTakesFullAndPartialBatches) {
  const DistributedDataset inputs = Numbers(6);
  StepGraph<Tensor> step = MakeStep({.signature = inputs.element_spec()});
  EXPECT_EQ(RunAll(step, inputs), (Results{{{0, 2}, {4, 6}}, {{8}, {10}}}));
  EXPECT_EQ(step.statistics().signatures, 1);
}

TEST_F(StepSignatureTest, WithoutOneTheSignaturesOfBatchesAreCounted) {
  StepGraph<Tensor> step = MakeStep();
  EXPECT_EQ(step.statistics().signatures, 0);
  RunAll(step, Numbers(8));
  EXPECT_EQ(step.statistics().signatures, 1);
  RunAll(step, Numbers(5));  // ([0, 1], [2, 3]), ([4], [])
  EXPECT_EQ(step.statistics().signatures, 2);
  RunAll(step, Numbers(6));  // ([4], [5]) at its end
  RunAll(step, Numbers(8));
  EXPECT_EQ(step.statistics().signatures, 3);
}

// 130 signatures, the last of them again, and the first, which is forgotten.
TEST_F(StepSignatureTest, TheLastSignaturesAreRemembered) {
  StepGraph<Tensor> step = MakeStep();
  const auto run = [&](int64_t rows) {
    step.Run(Batch(Tensor::Zeros(Shape{rows}, DType::kInt64)));
  };
  for (int64_t rows = 1; rows <= 130; ++rows) run(rows);
  EXPECT_EQ(step.statistics().signatures, 130);
  for (int64_t rows = 3; rows <= 130; ++rows) run(rows);
  EXPECT_EQ(step.statistics().signatures, 130);
  run(1);
  EXPECT_EQ(step.statistics().signatures, 131);
}

TEST_F(StepSignatureTest, OtherBatchesAreRefusedBeforeAnythingRuns) {
  StepGraph<Tensor> step = MakeStep({.signature = Numbers(8).element_spec()});
  const std::vector<PerReplica<Structure>> others = {
      Batch(Row({1, 2})),                             // of another type
      Batch(Tensor::Scalar<int64_t>(1)),              // of another rank
      Batch(Tensor::FromVector<int64_t>({1, 2}), 3),  // of more replicas
      PerReplica<Structure>({Structure::Tuple({}), Structure::Tuple({})}),
  };
  for (const PerReplica<Structure>& other : others) {
    EXPECT_EQ(CodeOf([&] { step.Run(other); }), Code::kInvalidArgument);
  }
  EXPECT_EQ(runs_, 0);
  step.Run(Batch(Tensor::FromVector<int64_t>({1, 2, 3})));
  EXPECT_EQ(runs_, 2);
}

TEST_F(StepSignatureTest, RefusalShowsBothSpecs) {
  StepGraph<Tensor> step = MakeStep({.signature = Numbers(8).element_spec()});
  try {
    step.Run(Batch(Row({1, 2})));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "[StepGraph] got an element float32 (2,), wanted int64 "
                 "(None,)");
  }
}

TEST_F(StepSignatureTest, KnownDimensionsHold) {
  const DistributedDataset full = strategy_->DistributeDataset(
      Dataset::Range(8).Batch(4, /*drop_remainder=*/true));
  StepGraph<Tensor> step = MakeStep({.signature = full.element_spec()});
  EXPECT_EQ(RunAll(step, full),
            (Results{{{0, 2}, {4, 6}}, {{8, 10}, {12, 14}}}));
  EXPECT_EQ(CodeOf([&] { RunAll(step, Numbers(2)); }), Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
