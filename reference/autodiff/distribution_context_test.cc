#include "reference/autodiff/distribution_context.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace lockstep {
namespace {

class CrossReplicaContext : public DistributionContext {
 public:
  bool has_strategy() const override { return true; }
  int num_replicas_in_sync() const override { return 4; }
  bool in_cross_replica_context() const override { return true; }
};

TEST(DistributionContextTest, WithoutAStrategyThereIsOneReplica) {
  DistributionContext& context = DistributionContext::Current();
  EXPECT_FALSE(context.has_strategy());
  EXPECT_EQ(context.num_replicas_in_sync(), 1);
  EXPECT_FALSE(context.in_cross_replica_context());
  EXPECT_EQ(context.replica_id_in_sync_group(), 0);
}

TEST(DistributionContextTest, SumAndMeanOverOneReplicaAreTheValue) {
  DistributionContext& context = DistributionContext::Current();
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean}) {
    const auto reduced = context.AllReduce(op, {Tensor::Scalar(3.0f)});
    ASSERT_EQ(reduced.size(), 1u);
    EXPECT_EQ(reduced[0].item<float>(), 3.0f);
  }
  EXPECT_TRUE(context.AllReduce(ReduceOp::kSum, {}).empty());
}

TEST(DistributionContextTest, MergeCallRunsOnceAndPassesErrorsOn) {
  int calls = 0;
  DistributionContext::Current().MergeCall([&] { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_THROW(DistributionContext::Current().MergeCall(
                   [] { throw std::runtime_error("x"); }),
               std::runtime_error);
}

TEST(DistributionContextTest, ScopesNest) {
  CrossReplicaContext outer;
  DistributionContext inner;
  {
    DistributionContextScope outer_scope(outer);
    EXPECT_EQ(&DistributionContext::Current(), &outer);
    {
      DistributionContextScope inner_scope(inner);
      EXPECT_EQ(&DistributionContext::Current(), &inner);
    }
    EXPECT_EQ(DistributionContext::Current().num_replicas_in_sync(), 4);
  }
  EXPECT_FALSE(DistributionContext::Current().has_strategy());
}

}  // namespace
}  // namespace lockstep
