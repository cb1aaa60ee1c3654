// What variables with a copy for each replica have in common.
//
// Copy r lies on replica r's device and is named "v" for r = 0, else
// "v/replica_<r>"; all start with the same value. In replica r of the
// variable's own strategy the variable means copy r; in another strategy's
// replica using it is a FailedPrecondition; everywhere else (in scope, outside
// it, in a merge call) it means all copies together.
//
// Of a strategy over several workers each holds copies for its own replicas; all
// start with the chief's value. What is said of all replicas below is said of
// those of all workers, and ON_READ variables are then read by all of them
// together.
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
  // A copy's value as it is; no tape is told.
  Tensor copy(int replica) const { return copies_[replica]->Peek(); }

 protected:
  // The replica of this variable's strategy that calls, nullptr elsewhere.
  ReplicaContext* CallingReplica(std::string_view operation) const;
  LocalVariable& local(int replica) { return *copies_[replica]; }
  LocalVariable& local(const ReplicaContext& replica) {
    return *copies_[replica.local_index()];
  }
  const Replicas& replicas() const { return *replicas_; }

  // Every copy gets `value`, on its own device.
  void AssignAll(const Tensor& value);
  std::vector<Tensor> Copies() const;

 private:
  // The calling replica's copy; a single copy everywhere.
  LocalVariable& OwnCopy(std::string_view update) override;

  ReplicasPtr replicas_;
  std::vector<std::shared_ptr<LocalVariable>> copies_;
};

// A variable whose copies are equal after every assignment (ON_WRITE, the
// default).
//
// An assignment in replica context is made by all replicas together; what they
// bring becomes one value as the aggregation says, and every copy gets that.
// From 1, with 10 on replica 0 and 20 on replica 1:
//
// | aggregation        | Assign | AssignAdd | AssignSub |
// |--------------------|--------|-----------|-----------|
// | SUM                | 30     | 31        | -29       |
// | MEAN               | 15     | 16        | -14       |
// | ONLY_FIRST_REPLICA | 10     | 11        | -9        |
// | NONE               | InvalidArgument                |
//
// (with NONE because the values differ; equal ones are assigned).
// In cross-replica context the value goes to all copies as it is.
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
  // Stored once, restored into every copy.
  Tensor ValueToSave() const override { return copy(0); }
  void RestoreValue(const Tensor& value) override { AssignAll(value); }

 private:
  using Update = void (LocalVariable::*)(const Tensor&);
  void Apply(const char* operation, Update update, const Tensor& value);
  Tensor Aggregate(const char* operation, ReplicaContext& replica,
                   const Tensor& value) const;
};

// A variable whose copies each replica changes for itself (ON_READ): metrics'
// totals, moving statistics. Not trainable.
//
// In replica context everything concerns the replica's own copy. In
// cross-replica context, with copies 10 and 20:
//
// | aggregation        | Read            | Assign(6)       | AssignAdd(6)    |
// |--------------------|-----------------|-----------------|-----------------|
// | SUM                | 30              | [3, 3]          | InvalidArgument |
// | MEAN               | 15              | [6, 6]          | [16, 26]        |
// | ONLY_FIRST_REPLICA | 10              | [6, 6]          | [16, 26]        |
// | NONE               | InvalidArgument | InvalidArgument | InvalidArgument |
//
// A checkpoint stores what Read gives and restores as Assign does, so that a
// sum stays the same on another number of replicas; an integer sum that does
// not divide leaves its remainder on replica 0. One that keeps each replica's
// values also gives the copies of a SUM or MEAN back to as many replicas: sums
// that were divided anew would go on with other roundings.
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
