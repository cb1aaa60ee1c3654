// Variables with a copy for each replica.
//
// Copy r is on replica r's device and is named "v" for r = 0, else
// "v/replica_<r>"; all start with the same value. In replica r of its own
// strategy the variable is copy r; in a replica of another strategy its use is
// a FailedPrecondition; everywhere else (in scope, outside it, in a merge call)
// it is all copies together.
//
// In a strategy over several workers, each worker has the copies of its own
// replicas; all start with the chief's value. Below, "all replicas" are those
// of all workers, and all workers must read ON_READ variables together.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_VARIABLES_DISTRIBUTED_VARIABLE_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_VARIABLES_DISTRIBUTED_VARIABLE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference/autodiff/variable.h"
#include "reference/collectives/reduce_op.h"
#include "reference/distribute/replica_context.h"

namespace lockstep {

class DistributedVariable : public Variable {
 public:
  // Calls options.initial_value once. Errors: InvalidArgument without one.
  DistributedVariable(ReplicasPtr replicas, const VariableOptions& options);

  const std::string& name() const override { return copies_[0]->name(); }
  bool trainable() const override { return copies_[0]->trainable(); }
  VariableAggregation aggregation() const override {
    return copies_[0]->aggregation();
  }
  Shape shape() const override { return copies_[0]->shape(); }
  DType dtype() const override { return copies_[0]->dtype(); }

  int num_copies() const { return static_cast<int>(copies_.size()); }
  // A copy's value, not recorded by tapes.
  Tensor copy(int replica) const { return copies_[replica]->Peek(); }

 protected:
  // The calling replica, if it is of this variable's strategy, else nullptr.
  ReplicaContext* CallingReplica(std::string_view operation) const;
  LocalVariable& local(int replica) { return *copies_[replica]; }
  LocalVariable& local(const ReplicaContext& replica) {
    return *copies_[replica.local_index()];
  }
  const Replicas& replicas() const { return *replicas_; }

  // Sets every copy to `value`, on its own device.
  void AssignAll(const Tensor& value);
  std::vector<Tensor> Copies() const;

 private:
  // The calling replica's copy; with a single copy always that one.
  LocalVariable& OwnCopy(std::string_view update) override;

  ReplicasPtr replicas_;
  std::vector<std::shared_ptr<LocalVariable>> copies_;
};

// A variable whose copies are equal after every assignment (ON_WRITE, the
// default).
//
// All replicas must make an assignment in replica context together. The
// aggregation combines their values into one, which every copy gets. From 1,
// with 10 on replica 0 and 20 on replica 1:
//
// | aggregation        | Assign | AssignAdd | AssignSub |
// |--------------------|--------|-----------|-----------|
// | SUM                | 30     | 31        | -29       |
// | MEAN               | 15     | 16        | -14       |
// | ONLY_FIRST_REPLICA | 10     | 11        | -9        |
// | NONE               | InvalidArgument                |
//
// (with NONE because the values differ; equal ones are assigned).
// In cross-replica context all copies get the value unchanged.
class MirroredVariable final : public DistributedVariable {
 public:
  using DistributedVariable::DistributedVariable;

  VariableSynchronization synchronization() const override {
    return VariableSynchronization::kOnWrite;
  }

  // The replica's copy; copy 0 in cross-replica context.
  Tensor Read() const override;
  void Assign(const Tensor& value) override;
  void AssignAdd(const Tensor& delta) override;
  void AssignSub(const Tensor& delta) override;

 protected:
  // Saved once, restored into every copy.
  Tensor ValueToSave() const override { return copy(0); }
  void RestoreValue(const Tensor& value) override { AssignAll(value); }

 private:
  using Update = void (LocalVariable::*)(const Tensor&);
  void Apply(const char* operation, Update update, const Tensor& value);
  Tensor Aggregate(const char* operation, ReplicaContext& replica,
                   const Tensor& value) const;
};

// A variable whose copies the replicas change independently (ON_READ): totals
// of metrics, moving statistics. Not trainable.
//
// In replica context all operations use the replica's own copy. In
// cross-replica context, with copies 10 and 20:
//
// | aggregation        | Read            | Assign(6)       | AssignAdd(6)    |
// |--------------------|-----------------|-----------------|-----------------|
// | SUM                | 30              | [3, 3]          | InvalidArgument |
// | MEAN               | 15              | [6, 6]          | [16, 26]        |
// | ONLY_FIRST_REPLICA | 10              | [6, 6]          | [16, 26]        |
// | NONE               | InvalidArgument | InvalidArgument | InvalidArgument |
//
// A checkpoint saves what Read returns and restores as Assign does, so that a
// sum stays the same on another number of replicas; replica 0 gets the
// remainder of an integer sum. A checkpoint that also has each replica's values
// restores the copies of a SUM or MEAN exactly on the same number of replicas:
// sums that were divided again would continue with other roundings.
class SyncOnReadVariable final : public DistributedVariable {
 public:
  using DistributedVariable::DistributedVariable;

  bool trainable() const override { return false; }
  VariableSynchronization synchronization() const override {
    return VariableSynchronization::kOnRead;
  }

  Tensor Read() const override;
  void Assign(const Tensor& value) override;
  void AssignAdd(const Tensor& delta) override;
  void AssignSub(const Tensor& delta) override;

  std::vector<Value> values() override;

 protected:
  Tensor ValueToSave() const override { return Aggregated("Save"); }
  void RestoreValue(const Tensor& value) override {
    AssignTogether("Restore", value);
  }

 private:
  using Update = void (LocalVariable::*)(const Tensor&);
  void Change(const char* operation, Update update, const Tensor& delta);
  Tensor Aggregated(const char* operation) const;
  Tensor Reduced(const char* operation, ReduceOp op) const;
  void AssignTogether(const char* operation, const Tensor& value);
  // Row r is the copy of replica r, of all workers.
  Tensor StackedCopies() const;
  void RestoreCopies(const Tensor& stacked);
  [[noreturn]] void FailWithoutAggregation(const char* operation) const;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_VARIABLES_DISTRIBUTED_VARIABLE_H_
