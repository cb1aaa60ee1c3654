// State that training changes: a named tensor with a trainable flag.
//
//   VariablePtr v = MakeVariable(
//       {.initial_value = [] { return Tensor::Scalar(1.0f); }, .name = "v"});
//   v->AssignAdd(Tensor::Scalar(2.0f));
//   v->Read().item<float>();               // 3
//
// MakeVariable asks the calling thread's innermost variable creator (installed
// by a strategy's scope), so the same code makes a plain variable or one with a
// copy for each replica.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_VARIABLE_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_VARIABLE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference/autodiff/trackable.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// When the copies of a variable are brought together.
enum class VariableSynchronization {
  kAuto,     // on write
  kNone,     // documented, refused by MirroredStrategy
  kOnWrite,  // copies equal after every assignment
  kOnRead,   // copies differ, a cross-replica read aggregates them
};

// How the replicas' values become one.
enum class VariableAggregation { kNone, kSum, kMean, kOnlyFirstReplica };

struct VariableOptions {
  // Called once for each variable made. REQUIRES: not empty.
  std::function<Tensor()> initial_value = nullptr;
  std::string name = "Variable";
  bool trainable = true;
  VariableSynchronization synchronization = VariableSynchronization::kAuto;
  VariableAggregation aggregation = VariableAggregation::kNone;
};

class Variable : public Trackable {
 public:
  virtual const std::string& name() const = 0;
  virtual bool trainable() const = 0;
  virtual VariableSynchronization synchronization() const = 0;
  virtual VariableAggregation aggregation() const = 0;
  virtual Shape shape() const = 0;
  virtual DType dtype() const = 0;

  // The value: this replica's copy in replica context, else as the kind of
  // variable says. Active gradient tapes are told that it was read.
  virtual Tensor Read() const = 0;

  // Errors: InvalidArgument when dtype or shape differ from the variable's;
  // kind-specific ones as documented.
  virtual void Assign(const Tensor& value) = 0;
  virtual void AssignAdd(const Tensor& delta) = 0;
  virtual void AssignSub(const Tensor& delta) = 0;

  // The calling replica's own copy as memory to update in place (never shared
  // with a tensor handed out). For optimizers, which keep copies equal by
  // applying the same update everywhere. Errors: FailedPrecondition where the
  // caller has no own copy (cross-replica context of several copies).
  virtual Tensor& MutableLocalValue() = 0;

  // One value under "VARIABLE_VALUE".
  std::vector<Value> values() override;

 protected:
  // What a checkpoint stores and gives back; kinds with several copies differ.
  virtual Tensor ValueToSave() const { return Read(); }
  virtual void RestoreValue(const Tensor& value) { Assign(value); }
};

using VariablePtr = std::shared_ptr<Variable>;

using VariableCreator = std::function<VariablePtr(const VariableOptions&)>;

// Makes a variable through the innermost creator; without one a LocalVariable.
VariablePtr MakeVariable(const VariableOptions& options);

// Installs a creator on the calling thread while the scope lives. It may call
// MakeVariable for the next outer creator.
class VariableCreatorScope {
 public:
  explicit VariableCreatorScope(VariableCreator creator);
  ~VariableCreatorScope();
  VariableCreatorScope(const VariableCreatorScope&) = delete;
  VariableCreatorScope& operator=(const VariableCreatorScope&) = delete;

 private:
  friend VariablePtr MakeVariable(const VariableOptions& options);
  VariableCreator creator_;
  VariableCreatorScope* outer_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_VARIABLE_H_
