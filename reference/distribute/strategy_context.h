// The DistributionContexts that a strategy installs, and how they are found.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_STRATEGY_CONTEXT_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_STRATEGY_CONTEXT_H_

#include <utility>
#include <vector>

#include "reference/autodiff/distribution_context.h"
#include "reference/distribute/replica_group.h"

namespace lockstep {

class Strategy;

// What the contexts of a strategy have in common.
class StrategyContext : public DistributionContext {
 public:
  StrategyContext(Strategy& strategy, ReplicaGroupPtr group)
      : strategy_(&strategy), group_(std::move(group)) {}

  bool has_strategy() const override { return true; }
  int num_replicas_in_sync() const override { return group_->size(); }

  Strategy& strategy() const { return *strategy_; }
  const ReplicaGroupPtr& group() const { return group_; }

  // The calling thread's context, nullptr without a strategy.
  static StrategyContext* Current() {
    return dynamic_cast<StrategyContext*>(&DistributionContext::Current());
  }

 private:
  Strategy* strategy_;
  ReplicaGroupPtr group_;
};

// Inside a strategy's scope, outside Run.
class CrossReplicaContext final : public StrategyContext {
 public:
  using StrategyContext::StrategyContext;

  bool in_cross_replica_context() const override { return true; }
  // Errors: FailedPrecondition: no replica calls.
  std::vector<Tensor> AllReduce(ReduceOp op,
                                const std::vector<Tensor>& values) override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_STRATEGY_CONTEXT_H_
