// The numbers are those of the behaviour catalogue: STRATEGY, REDUCE, GATHER
// and GRAD.
#include "reference/distribute/replica_context.h"

#include <gtest/gtest.h>

#include "reference/autodiff/gradient_tape.h"
#include "reference/distribute/distribute_testing.h"
#include "reference/kernels/binary.h"

namespace lockstep {
namespace {

int Id() { return GetReplicaContext().replica_id_in_sync_group(); }

// x * x, as a differentiable operation.
Tensor Square(const Tensor& x) {
  const Tensor y = kernels::Multiply(x, x);
  RecordOperation({x}, y, [x](const Tensor& gradient, std::span<const bool>) {
    const Tensor twice = kernels::Multiply(x, Tensor::Scalar(2.0f));
    return std::vector<std::optional<Tensor>>{
        kernels::Multiply(twice, gradient)};
  });
  return y;
}

// x * weight, differentiable in x.
Tensor Weigh(const Tensor& x, const Tensor& weight) {
  const Tensor y = kernels::Multiply(x, weight);
  RecordOperation({x}, y,
                  [weight](const Tensor& gradient, std::span<const bool>) {
                    return std::vector<std::optional<Tensor>>{
                        kernels::Multiply(weight, gradient)};
                  });
  return y;
}

TEST(ReplicaContextTest, AllReduceOfIntegers) {
  // r^2 + 1 on 3 replicas: 1 + 2 + 5.
  const auto strategy = MakeStrategy(3);
  const PerReplica<Structure> results = strategy->Run([] {
    const Tensor mine = Tensor::Scalar<int32_t>(Id() * Id() + 1);
    ReplicaContext& replica = GetReplicaContext();
    return Structure::Tuple({replica.AllReduce(ReduceOp::kSum, mine),
                             replica.AllReduce(ReduceOp::kMean, mine)});
  });
  for (const Structure& result : results) {
    EXPECT_EQ(result[0].leaf().item<int32_t>(), 8);
    EXPECT_EQ(result[1].leaf().item<double>(), 8.0 / 3.0);
  }
}

TEST(ReplicaContextTest, DenormalNumbersAreFlushedOnReplicasOnly) {
  const Tensor smallest = Tensor::Scalar(0x1p-126f);
  const Tensor half = Tensor::Scalar(0.5f);
  const auto strategy = MakeStrategy(2);
  const PerReplica<Structure> results = strategy->Run(
      [&] { return Structure(kernels::Multiply(smallest, half)); });
  for (const Structure& result : results) {
    EXPECT_EQ(result.leaf().item<float>(), 0);
  }
  EXPECT_EQ(kernels::Multiply(smallest, half).item<float>(), 0x1p-127f);
}

TEST(ReplicaContextTest, AllReduceTakesNests) {
  const auto strategy = MakeStrategy(2);
  const PerReplica<Structure> results = strategy->Run([] {
    const float id = static_cast<float>(Id());
    return GetReplicaContext().AllReduce(
        ReduceOp::kSum,
        Structure::Dict({{"a", Row({id})}, {"b", Row({id, 1})}}));
  });
  EXPECT_EQ(ToString(results[1]), "{'a': [1], 'b': [1, 2]}");
}

TEST(ReplicaContextTest, AllGatherGivesEverybodyTheWhole) {
  // r + 1 copies of r on 3 replicas.
  const auto strategy = MakeStrategy(3);
  const PerReplica<Structure> results = strategy->Run([] {
    const Tensor mine = Row(std::vector<float>(Id() + 1, Id()));
    return GetReplicaContext().AllGather(Structure::Tuple({mine, mine}), 0);
  });
  for (const Structure& result : results) {
    EXPECT_EQ(ToString(result), "([0, 1, 1, 2, 2, 2], [0, 1, 1, 2, 2, 2])");
  }
}

TEST(ReplicaContextTest, MergeCallSeesAllArgumentsOnce) {
  const auto strategy = MakeStrategy(2);
  int calls = 0;
  const PerReplica<float> sums = strategy->Run([&] {
    const Tensor mine = Tensor::Scalar(Id() + 1.0f);
    const Tensor sum = GetReplicaContext().MergeCall(
        [&](Strategy& merged, const PerReplica<Tensor>& values) {
          EXPECT_TRUE(InCrossReplicaContext());
          EXPECT_EQ(&merged, strategy.get());
          ++calls;
          return merged.Reduce(ReduceOp::kSum, values);
        },
        mine);
    return sum.item<float>();
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(sums.values(), (std::vector<float>{3, 3}));
}

TEST(ReplicaContextTest, MergeCallThroughTheBaseRunsOnce) {
  const auto strategy = MakeStrategy(3);
  int calls = 0;
  strategy->Run(
      [&] { DistributionContext::Current().MergeCall([&] { ++calls; }); });
  EXPECT_EQ(calls, 1);
  StrategyScope scope = strategy->Scope();
  DistributionContext::Current().MergeCall([&] { ++calls; });
  EXPECT_EQ(calls, 2);
}

TEST(ReplicaContextTest, AllReduceNeedsAReplica) {
  const auto strategy = MakeStrategy(2);
  StrategyScope scope = strategy->Scope();
  EXPECT_EQ(CodeOf([] {
              DistributionContext::Current().AllReduce(ReduceOp::kSum, {});
            }),
            Code::kFailedPrecondition);
}

TEST(ReplicaContextTest, BroadcastGivesTheRootsValue) {
  const auto strategy = MakeStrategy(3);
  const PerReplica<Tensor> results = strategy->Run(
      [] { return GetReplicaContext().Broadcast(Row({1.0f * Id()}), 2); });
  for (const Tensor& result : results) EXPECT_EQ(result.at<float>(0), 2);
}

TEST(ReplicaContextTest, GradientThroughAllReduce) {
  // y = sum of x^2 over the replicas, x = (1, 2): dy/dx = 2 * 2x; mean 2x.
  const auto strategy = MakeStrategy(2);
  const auto gradient = [&](ReduceOp op) {
    return strategy->Run([op] {
      GradientTape tape;
      const Tensor x = Tensor::Scalar(Id() + 1.0f);
      tape.Watch(x);
      const Tensor y = GetReplicaContext().AllReduce(op, Square(x));
      return tape.Gradient(y, std::vector<Tensor>{x})[0]->item<float>();
    });
  };
  EXPECT_EQ(gradient(ReduceOp::kSum).values(), (std::vector<float>{4, 8}));
  EXPECT_EQ(gradient(ReduceOp::kMean).values(), (std::vector<float>{2, 4}));
}

TEST(ReplicaContextTest, GradientThroughAllGather) {
  // Both replicas weigh the joined values by (1, 10): 2 and 20.
  const auto strategy = MakeStrategy(2);
  for (int axis : {0, -1}) {
    const PerReplica<float> gradients = strategy->Run([axis] {
      GradientTape tape;
      const Tensor x = Row({5});
      tape.Watch(x);
      const Tensor all = GetReplicaContext().AllGather(x, axis);
      const Tensor y = Weigh(all, Row({1, 10}));
      return tape.Gradient(y, std::vector<Tensor>{x})[0]->at<float>(0);
    });
    EXPECT_EQ(gradients.values(), (std::vector<float>{2, 20}));
  }
}

TEST(ReplicaContextTest, AGradientStaysTheReplicasOwn) {
  // x^2 at 5 .. 8 on four replicas.
  const auto strategy = MakeStrategy(4);
  const PerReplica<float> gradients = strategy->Run([] {
    GradientTape tape;
    const Tensor x = Tensor::Scalar(5.0f + Id());
    tape.Watch(x);
    return tape.Gradient(Square(x), std::vector<Tensor>{x})[0]->item<float>();
  });
  EXPECT_EQ(gradients.values(), (std::vector<float>{10, 12, 14, 16}));
}

}  // namespace
}  // namespace lockstep
