// For operations that run on the host, element by element.
//
//   ForNumber(x.dtype(), [&]<typename T>() { return Sum<T>(x); });
#ifndef LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_HOST_VALUES_H_
#define LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_HOST_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/device/device.h"
#include "reference/tensor/tensor.h"

namespace lockstep::export_internal {

// The tensor on the device on which operations expect it (operation.h).
inline Tensor InPlace(const Tensor& tensor) {
  return tensor.dtype() == DType::kFloat32 ? tensor.To(Device::Current())
                                           : tensor.ToHost();
}

// Calls a function with float, int32_t or int64_t as its type. Errors:
// InvalidArgument for other types.
template <typename Function>
auto ForNumber(DType dtype, const Function& function) {
  switch (dtype) {
    case DType::kFloat32:
      return function.template operator()<float>();
    case DType::kInt32:
      return function.template operator()<int32_t>();
    case DType::kInt64:
      return function.template operator()<int64_t>();
    default:
      throw InvalidArgument("{} is not a type of numbers", DTypeName(dtype));
  }
}

// Also with bool or std::string.
template <typename Function>
auto ForType(DType dtype, const Function& function) {
  switch (dtype) {
    case DType::kBool:
      return function.template operator()<bool>();
    case DType::kString:
      return function.template operator()<std::string>();
    default:
      return ForNumber(dtype, function);
  }
}

// Errors: InvalidArgument.
inline void CheckSameType(const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype()) return;
  throw InvalidArgument("{} with {}", Describe(a), Describe(b));
}

// Errors: InvalidArgument, with `name`, unless it is one int32 or int64 from 0 to
// `most`.
int64_t WholeNumber(const char* name, const Tensor& tensor, int64_t most);

// The most numbers of an axis that an operation is asked for; memory limits them
// first.
inline constexpr int64_t kMostEntries = int64_t{1} << 40;

// Where each row begins among `values` values, and last their number. Errors:
// InvalidArgument for splits that do not ascend from 0 to it.
std::vector<int64_t> SplitsIn(const Tensor& tensor, int64_t values);

}  // namespace lockstep::export_internal

#endif  // LOCKSTEP_REFERENCE_EXPORT_SAVED_MODEL_LOADING_OPERATIONS_HOST_VALUES_H_
