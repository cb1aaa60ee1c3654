// A variable whose copies each replica changes for itself (ON_READ): metrics'
// totals, moving statistics. Not trainable.
//
// In replica context everything concerns the replica's own copy. In
// cross-replica context, with copies 10 and 20:
//
// | aggregation        | Read            | Assign(6)       | AssignAdd(6)       |
// |--------------------|-----------------|-----------------|--------------------|
// | SUM                | 30              | [3, 3]          | InvalidArgument    |
// | MEAN               | 15              | [6, 6]          | [16, 26]           |
// | ONLY_FIRST_REPLICA | 10              | [6, 6]          | [16, 26]           |
// | NONE               | InvalidArgument | InvalidArgument | InvalidArgument    |
//
// A checkpoint stores what Read gives and restores as Assign does, so that a
// sum stays the same on another number of replicas; an integer sum that does
// not divide leaves its remainder on replica 0.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_SYNC_ON_READ_VARIABLE_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_SYNC_ON_READ_VARIABLE_H_

#include "reference/distribute/distributed_variable.h"

namespace lockstep {

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

 protected:
  Tensor ValueToSave() const override { return Aggregated("Save"); }
  void RestoreValue(const Tensor& value) override {
    AssignTogether("Restore", value);
  }

 private:
  using Update = void (LocalVariable::*)(const Tensor&);
  void Change(const char* operation, Update update, const Tensor& delta);
  Tensor Aggregated(const char* operation) const;
  void AssignTogether(const char* operation, const Tensor& value);
  [[noreturn]] void FailWithoutAggregation(const char* operation) const;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_SYNC_ON_READ_VARIABLE_H_
