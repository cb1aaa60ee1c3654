#include "reference/export/assignments.h"

#include "reference/base/error.h"

namespace lockstep::export_internal {
namespace {

bool AreOfOneKind(DType a, DType b) {
  return a == b || (IsFloating(a) && IsFloating(b)) ||
         (IsInteger(a) && IsInteger(b));
}

}  // namespace

void Assignments::Add(Trackable::Value value, const std::string& path,
                      const Tensor& stored) {
  if (stored.shape() != value.spec.shape ||
      !AreOfOneKind(stored.dtype(), value.spec.dtype)) {
    throw InvalidArgument("{}: '{}' is {}, '{}' is {} {}", origin_, path,
                          Describe(stored), value.full_name,
                          DTypeName(value.spec.dtype),
                          ToString(value.spec.shape));
  }
  const Tensor cast = stored.Cast(value.spec.dtype);
  values_.emplace_back(std::move(value), cast);
}

void Assignments::Apply() const {
  for (const auto& [value, tensor] : values_) value.restore(tensor);
}

}  // namespace lockstep::export_internal
