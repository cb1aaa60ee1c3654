// What variables with a copy for each replica have in common.
//
// Copy r lies on replica r's device and is named "v" for r = 0, else
// "v/replica_<r>"; all start with the same value. In replica r of the
// variable's own strategy the variable means copy r; in another strategy's
// replica using it is a FailedPrecondition; everywhere else (in scope, outside
// it, in a merge call) it means all copies together.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_DISTRIBUTED_VARIABLE_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_DISTRIBUTED_VARIABLE_H_

#include <memory>
#include <string>
#include <vector>

#include "reference/autodiff/local_variable.h"
#include "reference/autodiff/variable.h"
#include "reference/collectives/reduce_op.h"
#include "reference/distribute/replica_context.h"
#include "reference/distribute/replica_group.h"

namespace lockstep {

class DistributedVariable : public Variable {
 public:
  // Calls options.initial_value once. Errors: InvalidArgument without one.
  DistributedVariable(ReplicaGroupPtr group, const VariableOptions& options);

  const std::string& name() const override { return copies_[0]->name(); }
  bool trainable() const override { return copies_[0]->trainable(); }
  VariableAggregation aggregation() const override {
    return copies_[0]->aggregation();
  }
  Shape shape() const override { return copies_[0]->shape(); }
  DType dtype() const override { return copies_[0]->dtype(); }

  int num_copies() const { return static_cast<int>(copies_.size()); }
  // A copy's name and value as they are; no tape is told.
  const std::string& copy_name(int replica) const {
    return copies_[replica]->name();
  }
  Tensor copy(int replica) const { return copies_[replica]->Peek(); }

  // The calling replica's copy; of a single copy everywhere.
  Tensor& MutableLocalValue() override;

 protected:
  // The replica of this variable's strategy that calls, nullptr elsewhere.
  ReplicaContext* CallingReplica(const char* operation) const;
  LocalVariable& local(int replica) { return *copies_[replica]; }
  LocalVariable& local(const ReplicaContext& replica) {
    return *copies_[replica.replica_id_in_sync_group()];
  }
  const ReplicaGroup& group() const { return *group_; }

  // Every copy gets `value`, on its own device.
  void AssignAll(const Tensor& value);
  std::vector<Tensor> Copies() const;

 private:
  ReplicaGroupPtr group_;
  std::vector<std::shared_ptr<LocalVariable>> copies_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_DISTRIBUTED_VARIABLE_H_
