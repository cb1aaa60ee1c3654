// For tests: a strategy's context without the strategy.
#ifndef LOCKSTEP_REFERENCE_LOSSES_CONTEXT_TESTING_H_
#define LOCKSTEP_REFERENCE_LOSSES_CONTEXT_TESTING_H_

#include "reference/autodiff/distribution_context.h"

namespace lockstep {

// One of `replicas` replicas, or the cross-replica context over them.
class FakeContext : public DistributionContext {
 public:
  explicit FakeContext(int replicas, bool cross_replica = false)
      : replicas_(replicas), cross_replica_(cross_replica), scope_(*this) {}

  bool has_strategy() const override { return true; }
  int num_replicas_in_sync() const override { return replicas_; }
  bool in_cross_replica_context() const override { return cross_replica_; }

 private:
  int replicas_;
  bool cross_replica_;
  DistributionContextScope scope_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LOSSES_CONTEXT_TESTING_H_
