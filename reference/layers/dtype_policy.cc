#include "reference/layers/dtype_policy.h"

#include <mutex>

#include "reference/base/error.h"

namespace lockstep {
namespace {

struct Global {
  std::mutex mutex;
  DTypePolicy policy{"float32"};
};

Global& GetGlobal() {
  static auto* global = new Global;  // outlives static destructors
  return *global;
}

DType ComputeDType(std::string_view name) {
  if (name == "float32") return DType::kFloat32;
  if (name == "mixed_bfloat16") return DType::kBFloat16;
  if (name == "mixed_float16") return DType::kFloat16;
  for (const std::string_view other : {"float64", "bfloat16", "float16"}) {
    if (name != other) continue;
    throw Unimplemented(
        "[DTypePolicy] weights are float32: 'float32', 'mixed_bfloat16' and "
        "'mixed_float16' are offered, got '{}'",
        name);
  }
  throw InvalidArgument(
      "[DTypePolicy] must be 'float32', 'mixed_bfloat16' or 'mixed_float16', "
      "got '{}'",
      name);
}

}  // namespace

DTypePolicy::DTypePolicy(std::string_view name)
    : name_(name), compute_dtype_(ComputeDType(name)) {}

DTypePolicy GetDTypePolicy() {
  Global& global = GetGlobal();
  const std::lock_guard lock(global.mutex);
  return global.policy;
}

void SetDTypePolicy(const DTypePolicy& policy) {
  Global& global = GetGlobal();
  const std::lock_guard lock(global.mutex);
  global.policy = policy;
}

}  // namespace lockstep
