// What code below the strategies may know of them.
//
// Layers, losses, metrics and optimizers never include distribute/. They ask
// the calling thread's DistributionContext, which a strategy installs: on the
// thread inside its scope (cross-replica context) and on every replica's
// thread during Run (replica context).
//
// Where none is installed there is one default context for all threads: the
// default strategy's only replica in a program that has strategies, a
// DistributionContext as it is in one that has none.
//
//   DistributionContext& context = DistributionContext::Current();
//   context.num_replicas_in_sync();                   // 1 without a strategy
//   context.AllReduce(ReduceOp::kSum, gradients);     // identity without one
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_DISTRIBUTION_CONTEXT_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_DISTRIBUTION_CONTEXT_H_

#include <functional>
#include <string_view>
#include <vector>

#include "reference/autodiff/indexed_slices.h"
#include "reference/cluster/topology.h"
#include "reference/collectives/reduce_op.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// This class itself says what one replica without a strategy is: always in
// replica context, with nothing to communicate. Strategies' contexts override
// what is otherwise with them, the default one's nothing of it.
class DistributionContext {
 public:
  virtual ~DistributionContext() = default;

  // A strategy other than the default one is in force (also with one replica).
  virtual bool has_strategy() const { return false; }
  virtual int num_replicas_in_sync() const { return 1; }
  // Inside a strategy's scope, outside Run.
  virtual bool in_cross_replica_context() const { return false; }
  // 0 in cross-replica context.
  virtual ReplicaId replica_id_in_sync_group() const { return ReplicaId(0); }

  // Reduces each tensor over all replicas; every replica calls with tensors of
  // the same shapes in the same order, and all get the same bits. The mean of
  // integers is float64. Over one replica floating values are what they were.
  //
  // A gradient tape follows it. The target of every replica's tape depends on
  // every replica's value, so its gradient is all-reduced too: all of them have
  // to ask for gradients in the same order.
  // Errors: InvalidArgument for values that cannot be added, or shapes that
  // differ; FailedPrecondition in cross-replica context; Cancelled when another
  // replica failed meanwhile.
  std::vector<Tensor> AllReduce(ReduceOp op, const std::vector<Tensor>& values);

  // What every replica brought, entry r from replica r, on the caller's device;
  // lists and shapes may differ. No tape follows it.
  // Errors: as AllReduce, but for values, which may be any.
  virtual std::vector<std::vector<Tensor>> ExchangeValues(
      const std::vector<Tensor>& values);

  // The sum over all replicas, each row once: the same bits on all of them. Rows
  // are gathered, not reduced; each replica brings as many as it has.
  // Errors: as AllReduce.
  IndexedSlices SumRows(const IndexedSlices& slices);

  // Runs `function` once, in cross-replica context, when all replicas have
  // called; they return after it has. Without a strategy, and in cross-replica
  // context, it simply runs. An exception in it reaches every replica.
  virtual void MergeCall(const std::function<void()>& function);

  // Errors: FailedPrecondition in replica context of a strategy, led by
  // `operation`; `remedy` says what to do there instead.
  void CheckOutsideRun(std::string_view operation,
                       std::string_view remedy) const;

  static DistributionContext& Current();

  // What Current asks where no context is installed, in place of what it asked
  // before. For the default strategy, while the program starts.
  using Default = DistributionContext& (*)();
  static void SetDefault(Default context);

 protected:
  // The values of AllReduce, new ones where there are several replicas.
  virtual std::vector<Tensor> ReduceValues(ReduceOp op,
                                           const std::vector<Tensor>& values);
};

// Makes `context` the calling thread's context while the scope lives.
class DistributionContextScope {
 public:
  explicit DistributionContextScope(DistributionContext& context);
  ~DistributionContextScope();
  DistributionContextScope(const DistributionContextScope&) = delete;
  DistributionContextScope& operator=(const DistributionContextScope&) = delete;

 private:
  DistributionContext* previous_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_DISTRIBUTION_CONTEXT_H_
