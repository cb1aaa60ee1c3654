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
// | NONE               | InvalidArgument, as the values differ; equal ones are assigned |
//
// In cross-replica context the value goes to all copies as it is.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORED_VARIABLE_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORED_VARIABLE_H_

#include "reference/distribute/distributed_variable.h"

namespace lockstep {

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

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORED_VARIABLE_H_
