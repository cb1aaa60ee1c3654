#include "reference/distribute/check_replicas_equal.h"

#include "reference/base/error.h"
#include "reference/distribute/mirrored_variable.h"

namespace lockstep {
namespace {

// REQUIRES: same shape and dtype, and they differ.
int64_t FirstDifference(const Tensor& a, const Tensor& b) {
  const Tensor x = a.Reshape(Shape{a.num_elements()});
  const Tensor y = b.Reshape(Shape{b.num_elements()});
  int64_t i = 0;
  while (BitwiseEqual(x.Row(i), y.Row(i))) ++i;
  return i;
}

}  // namespace

void CheckReplicasEqual(const Variable& variable) {
  const auto* mirrored = dynamic_cast<const MirroredVariable*>(&variable);
  if (mirrored == nullptr) return;
  const Tensor first = mirrored->copy(0);
  for (int replica = 1; replica < mirrored->num_copies(); ++replica) {
    const Tensor other = mirrored->copy(replica);
    if (BitwiseEqual(first, other)) continue;
    throw Internal(
        "[CheckReplicasEqual] variable '{}' differs between replica 0 and "
        "replica {}, first in element {}",
        variable.name(), replica, FirstDifference(first, other));
  }
}

void CheckReplicasEqual(const std::vector<VariablePtr>& variables) {
  for (const VariablePtr& variable : variables) CheckReplicasEqual(*variable);
}

}  // namespace lockstep
