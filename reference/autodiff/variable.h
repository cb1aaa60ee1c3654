// State that training changes: a named tensor with a trainable flag.
//
//   VariablePtr v = MakeVariable(
//       {.initial_value = [] { return Tensor::Scalar(1.0f); }, .name = "v"});
//   v->AssignAdd(Tensor::Scalar(2.0f));
//   v->Read().item<float>();               // 3
//
// MakeVariable calls the calling thread's innermost variable creator (installed
// by a strategy's scope), so the same code makes a plain variable or one with a
// copy per replica.
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

// When the copies of a variable are synchronized.
enum class VariableSynchronization {
  kAuto,     // on write
  kNone,     // documented, but MirroredStrategy refuses it
  kOnWrite,  // copies are equal after every assignment
  kOnRead,   // copies differ; a cross-replica read aggregates them
};

// How the replicas' values are aggregated.
enum class VariableAggregation { kNone, kSum, kMean, kOnlyFirstReplica };

class Variable;

struct VariableOptions {
  // Called once per variable. REQUIRES: not empty.
  std::function<Tensor()> initial_value = nullptr;
  std::string name = "Variable";
  bool trainable = true;
  VariableSynchronization synchronization = VariableSynchronization::kAuto;
  VariableAggregation aggregation = VariableAggregation::kNone;
  // State of this variable, of its shape: kept where its value is, if that is
  // another process.
  const Variable* beside = nullptr;
};

class LocalVariable;

// A function that changes variables. Gets their values, which it may write to
// during the call only, and further input tensors.
using UpdateRule = std::function<void(std::span<Tensor* const> values,
                                      std::span<const Tensor> inputs)>;

// Updates several variables in place, on their device: `rule` runs once on the
// calling replica's copies. Tensors that were read before keep their values.
//
//   UpdateTogether("Descend", {w, velocity}, {gradient},
//                  [](std::span<Tensor* const> values,
//                     std::span<const Tensor> inputs) {
//     // *values[0] is w's memory, inputs[0] the gradient
//   });
//
// A rule depends only on the values and inputs: it is run again with newer values
// if the variables' home says so. Error messages begin with the name. REQUIRES:
// no other thread uses these copies; all replicas make the same update to copies
// that must stay equal. Errors: FailedPrecondition, before anything is changed,
// if the caller has no copy of its own (cross-replica context with several
// copies); those of the home.
void UpdateTogether(std::string_view name,
                    const std::vector<Variable*>& variables,
                    std::span<const Tensor> inputs, const UpdateRule& rule);

// Where variables are kept whose values are not in this process.
class VariableHome {
 public:
  virtual ~VariableHome() = default;

  // UpdateTogether for variables of which at least one is kept here. Errors:
  // InvalidArgument for variables of another home.
  virtual void UpdateTogether(std::string_view name,
                              const std::vector<Variable*>& variables,
                              std::span<const Tensor> inputs,
                              const UpdateRule& rule) = 0;
};

class Variable : public Trackable {
 public:
  virtual const std::string& name() const = 0;
  virtual bool trainable() const = 0;
  virtual VariableSynchronization synchronization() const = 0;
  virtual VariableAggregation aggregation() const = 0;
  virtual Shape shape() const = 0;
  virtual DType dtype() const = 0;

  // The value: this replica's copy in replica context, else as the subclass
  // documents. Active gradient tapes record the read.
  virtual Tensor Read() const = 0;
  // Rows of the value, kernels::Gather(value, indices), without the others if
  // they are kept elsewhere. Active gradient tapes record it, as rows.
  virtual Tensor ReadRows(const Tensor& indices) const;

  // Errors: InvalidArgument if dtype or shape differ from the variable's;
  // others as subclasses document.
  virtual void Assign(const Tensor& value) = 0;
  virtual void AssignAdd(const Tensor& delta) = 0;
  virtual void AssignSub(const Tensor& delta) = 0;

  // UpdateTogether for this variable alone.
  void Update(std::string_view name, std::span<const Tensor> inputs,
              const std::function<void(Tensor& value,
                                       std::span<const Tensor> inputs)>& rule);

  // Where the value is kept; nullptr if in this process.
  virtual VariableHome* home() const { return nullptr; }

  // One value, "VARIABLE_VALUE".
  std::vector<Value> values() override;

 protected:
  // The value that a checkpoint stores. Overridden by variables with several
  // copies.
  virtual Tensor ValueToSave() const { return Read(); }
  virtual void RestoreValue(const Tensor& value) { Assign(value); }

 private:
  friend void UpdateTogether(std::string_view, const std::vector<Variable*>&,
                             std::span<const Tensor>, const UpdateRule&);
  // The copy that an update by the caller changes. REQUIRES: no home. Errors: as
  // UpdateTogether.
  virtual LocalVariable& OwnCopy(std::string_view update) = 0;
};

using VariablePtr = std::shared_ptr<Variable>;

using VariableCreator = std::function<VariablePtr(const VariableOptions&)>;

// Makes a variable through the innermost creator, or a LocalVariable if there
// is none.
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

// A variable with one copy: the variables of programs without a strategy, and
// each replica's copy of a distributed variable.
//
// Thread-safe: assignments are serialized, so all replicas may update a
// variable that was made outside any scope.
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
  // The value, without recording the read on gradient tapes.
  Tensor Peek() const;

 private:
  friend class VariableUses;
  friend void UpdateTogether(std::string_view, const std::vector<Variable*>&,
                             std::span<const Tensor>, const UpdateRule&);
  LocalVariable& OwnCopy(std::string_view /*update*/) override { return *this; }
  // The value, in memory that no other tensor shares.
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
