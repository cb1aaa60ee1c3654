// The interface to strategies for code below them.
//
// Layers, losses, metrics and optimizers never include distribute/. They use
// the calling thread's DistributionContext, which a strategy installs: on a
// thread inside its scope (cross-replica context) and on every replica's thread
// during Run (replica context).
//
// If none is installed, all threads share a default context: in programs with
// strategies the default strategy's only replica, else a plain
// DistributionContext.
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

// This class itself is the context of one replica without a strategy: always in
// replica context, with nothing to communicate. The contexts of strategies
// override it, except that of the default strategy.
class DistributionContext {
 public:
  virtual ~DistributionContext() = default;

  // True under a strategy other than the default one, also with one replica.
  virtual bool has_strategy() const { return false; }
  virtual int num_replicas_in_sync() const { return 1; }
  // True inside a strategy's scope, outside Run.
  virtual bool in_cross_replica_context() const { return false; }
  // True inside Run of a strategy other than the default one.
  bool in_run() const { return has_strategy() && !in_cross_replica_context(); }
  // 0 in cross-replica context.
  virtual ReplicaId replica_id_in_sync_group() const { return ReplicaId(0); }

  // Reduces each tensor over all replicas; every replica calls with tensors of
  // the same shapes in the same order, and all get the same bits. The mean of
  // integers is float64. With one replica, floating values are unchanged.
  //
  // Gradient tapes record it. The target of every replica's tape depends on
  // every replica's value, so the gradient is all-reduced too, and all replicas
  // must compute gradients in the same order. Errors: InvalidArgument for
  // values that cannot be added, or different shapes; FailedPrecondition in
  // cross-replica context; Cancelled if another replica failed.
  std::vector<Tensor> AllReduce(ReduceOp op, const std::vector<Tensor>& values);

  // All-gathers the values of all replicas, entry r from replica r, on the
  // caller's device. Lists and shapes may differ. Tapes do not record it.
  // Errors: as AllReduce, except that all types of values are allowed.
  virtual std::vector<std::vector<Tensor>> ExchangeValues(
      const std::vector<Tensor>& values);

  // The workers: processes that have replicas and data of their own. 1 without
  // a strategy over several. And the number of this one.
  virtual int num_workers() const { return 1; }
  virtual int worker() const { return 0; }

  // What `local` returns on each worker, entry w from worker w. All workers
  // call it together, with the same name of an operation. Errors: on all of
  // them, the lowest worker's if `local` throws on some; FailedPrecondition if
  // operations differ, and inside Run, except in a merge call.
  virtual std::vector<std::vector<Tensor>> GatherFromWorkers(
      std::string_view operation,
      const std::function<std::vector<Tensor>()>& local);

  // The sum over all replicas, with each row once, and the same bits on all of
  // them. Rows are gathered, not reduced, so replicas may have different
  // numbers of rows. Errors: as AllReduce.
  IndexedSlices SumRows(const IndexedSlices& slices);

  // Runs `function` once, in cross-replica context, when all replicas have
  // called. They return after it. Without a strategy, and in cross-replica
  // context, just runs it. An exception in it reaches every replica.
  virtual void MergeCall(const std::function<void()>& function);

  // Errors: FailedPrecondition in a strategy's replica context, led by
  // `operation`; `remedy` says what to do instead.
  void CheckOutsideRun(std::string_view operation,
                       std::string_view remedy) const;

  static DistributionContext& Current();

  // Replaces the function that returns the default context. For the default
  // strategy, during static initialization.
  using Default = DistributionContext& (*)();
  static void SetDefault(Default context);

 protected:
  // The values of AllReduce; new tensors if there are several replicas.
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
