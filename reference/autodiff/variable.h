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
#include <mutex>
#include <span>
#include <string>
#include <string_view>
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

class LocalVariable;
class Variable;

// A change of variables: their values, in the order in which they were named,
// in memory that it has during the call alone, and tensors that it takes beside
// them.
using UpdateRule = std::function<void(std::span<Tensor* const> values,
                                      std::span<const Tensor> inputs)>;

// Changes variables together, in place, where they lie: `rule` runs once on the
// calling replica's copies. Tensors handed out before keep their values.
//
//   UpdateTogether("Descend", {w, velocity}, {gradient},
//                  [](std::span<Tensor* const> values,
//                     std::span<const Tensor> inputs) {
//     // *values[0] is w's memory, inputs[0] the gradient
//   });
//
// A rule says all that it needs by its name and its inputs, so that it may run
// in another process than its caller. Messages of errors begin with the name.
// REQUIRES: no other thread uses these copies; on every replica the same is
// done to copies that are to stay equal.
// Errors: FailedPrecondition, before anything is changed, where the caller has
// no copy of its own (cross-replica context of several copies).
void UpdateTogether(std::string_view name,
                    const std::vector<Variable*>& variables,
                    std::span<const Tensor> inputs, const UpdateRule& rule);

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

  // UpdateTogether for this variable alone.
  void Update(std::string_view name, std::span<const Tensor> inputs,
              const std::function<void(Tensor& value,
                                       std::span<const Tensor> inputs)>& rule);

  // One value under "VARIABLE_VALUE".
  std::vector<Value> values() override;

 protected:
  // What a checkpoint stores and gives back; kinds with several copies differ.
  virtual Tensor ValueToSave() const { return Read(); }
  virtual void RestoreValue(const Tensor& value) { Assign(value); }

 private:
  friend void UpdateTogether(std::string_view, const std::vector<Variable*>&,
                             std::span<const Tensor>, const UpdateRule&);
  // What an update changes for its caller. Errors: as UpdateTogether.
  virtual LocalVariable& OwnCopy(std::string_view update) = 0;
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

// A variable with one copy: what a program without a strategy makes, and what
// a replica holds of a distributed one.
//
// Thread-safe: concurrent assignments happen one after another, so a variable
// made outside any scope may be updated by every replica.
class LocalVariable : public Variable,
                      public std::enable_shared_from_this<LocalVariable> {
 public:
  // Calls options.initial_value once. Errors: InvalidArgument without one.
  explicit LocalVariable(const VariableOptions& options);

  const std::string& name() const override { return options_.name; }
  bool trainable() const override { return options_.trainable; }
  VariableSynchronization synchronization() const override {
    return options_.synchronization;
  }
  VariableAggregation aggregation() const override {
    return options_.aggregation;
  }
  Shape shape() const override { return shape_; }
  DType dtype() const override { return dtype_; }

  Tensor Read() const override;
  void Assign(const Tensor& value) override;
  void AssignAdd(const Tensor& delta) override;
  void AssignSub(const Tensor& delta) override;
  // The value, without telling gradient tapes.
  Tensor Peek() const;

 private:
  friend class VariableUses;
  friend void UpdateTogether(std::string_view, const std::vector<Variable*>&,
                             std::span<const Tensor>, const UpdateRule&);
  LocalVariable& OwnCopy(std::string_view /*update*/) override { return *this; }
  // The value in memory that nobody else holds.
  Tensor& UnsharedValue();
  void CheckFits(const char* operation, const Tensor& value) const;
  void WriteOnGpu(const Tensor& value);

  VariableOptions options_;
  Shape shape_;
  DType dtype_;
  mutable std::mutex mutex_;
  Tensor value_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_VARIABLE_H_
