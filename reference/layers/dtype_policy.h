// The types in which a layer computes and stores its weights.
//
//   SetDTypePolicy("mixed_bfloat16");  // for layers made from now on
//   Dense hidden(64);                  // bfloat16 inputs, products and outputs
//   Dense logits(10, {.dtype = "float32"});
//   hidden.dtype_policy().compute_dtype();    // DType::kBFloat16
//   hidden.dtype_policy().variable_dtype();   // DType::kFloat32
//
// Under a mixed policy a layer casts its floating inputs and, as it reads them,
// its weights to the compute type; gradients arrive at the weights as float32.
// Losses and metrics always compute in float32. float16 requires a
// LossScaleOptimizer.
#ifndef LOCKSTEP_REFERENCE_LAYERS_DTYPE_POLICY_H_
#define LOCKSTEP_REFERENCE_LAYERS_DTYPE_POLICY_H_

#include <string>
#include <string_view>

#include "reference/tensor/dtype.h"

namespace lockstep {

class DTypePolicy {
 public:
  // "float32", "mixed_bfloat16" or "mixed_float16". Errors: Unimplemented for
  // "float64", "bfloat16" and "float16", whose weights would have these types;
  // InvalidArgument for other names.
  DTypePolicy(std::string_view name);  // NOLINT
  DTypePolicy(const char* name)        // NOLINT
      : DTypePolicy(std::string_view(name)) {}

  const std::string& name() const { return name_; }
  DType compute_dtype() const { return compute_dtype_; }
  DType variable_dtype() const { return DType::kFloat32; }

 private:
  std::string name_;
  DType compute_dtype_;
};

// The default policy of new layers on all threads, initially float32.
DTypePolicy GetDTypePolicy();
void SetDTypePolicy(const DTypePolicy& policy);

// Sets the default policy of layers that are made while it lives.
class DTypePolicyScope {
 public:
  explicit DTypePolicyScope(const DTypePolicy& policy)
      : before_(GetDTypePolicy()) {
    SetDTypePolicy(policy);
  }
  ~DTypePolicyScope() { SetDTypePolicy(before_); }
  DTypePolicyScope(const DTypePolicyScope&) = delete;
  DTypePolicyScope& operator=(const DTypePolicyScope&) = delete;

 private:
  const DTypePolicy before_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_LAYERS_DTYPE_POLICY_H_
