// A variable with one copy: what a program without a strategy makes, and what
// a replica holds of a distributed one.
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_LOCAL_VARIABLE_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_LOCAL_VARIABLE_H_

#include <memory>
#include <mutex>
#include <string>

#include "reference/autodiff/variable.h"
#include "reference/autodiff/variable_use.h"

namespace lockstep {

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
  // REQUIRES: no other thread uses the variable meanwhile.
  Tensor& MutableLocalValue() override;

  // The value, without telling gradient tapes.
  Tensor Peek() const;

 private:
  void CheckFits(const char* operation, const Tensor& value) const;
  void WriteOnGpu(const Tensor& value);

  VariableOptions options_;
  Shape shape_;
  DType dtype_;
  mutable std::mutex mutex_;
  Tensor value_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_LOCAL_VARIABLE_H_
