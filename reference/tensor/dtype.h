// Element types of tensors.
#ifndef LOCKSTEP_REFERENCE_TENSOR_DTYPE_H_
#define LOCKSTEP_REFERENCE_TENSOR_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reference/tensor/narrow_float.h"

namespace lockstep {

enum class DType {
  kFloat32,
  kFloat64,
  kBFloat16,
  kFloat16,
  kInt32,
  kInt64,
  kUInt8,
  kBool,
  kString,  // std::string elements
};

// "float32", as TensorFlow writes it.
std::string_view DTypeName(DType dtype);
// Errors: InvalidArgument for an unknown name.
DType ParseDType(std::string_view name);
// Bytes of one element in memory.
size_t DTypeSize(DType dtype);
// float32, float64, bfloat16 or float16.
bool IsFloating(DType dtype);
// bfloat16 or float16.
bool IsNarrowFloat(DType dtype);
// int32, int64 or uint8.
bool IsInteger(DType dtype);

// The DType of a C++ type: kDTypeOf<float> == DType::kFloat32.
template <typename T>
inline constexpr DType kDTypeOf = [] {
  static_assert(sizeof(T) == 0, "no tensor holds this type");
  return DType::kFloat32;
}();
template <>
inline constexpr DType kDTypeOf<float> = DType::kFloat32;
template <>
inline constexpr DType kDTypeOf<double> = DType::kFloat64;
template <>
inline constexpr DType kDTypeOf<BFloat16> = DType::kBFloat16;
template <>
inline constexpr DType kDTypeOf<Float16> = DType::kFloat16;
template <>
inline constexpr DType kDTypeOf<int32_t> = DType::kInt32;
template <>
inline constexpr DType kDTypeOf<int64_t> = DType::kInt64;
template <>
inline constexpr DType kDTypeOf<uint8_t> = DType::kUInt8;
template <>
inline constexpr DType kDTypeOf<bool> = DType::kBool;
template <>
inline constexpr DType kDTypeOf<std::string> = DType::kString;

// Calls `body.operator()<T>()` with the C++ type of `dtype`:
//   VisitDType(t.dtype(), [&]<typename T>() { Fill<T>(t); });
template <typename Body>
auto VisitDType(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::kFloat32:
      return body.template operator()<float>();
    case DType::kFloat64:
      return body.template operator()<double>();
    case DType::kBFloat16:
      return body.template operator()<BFloat16>();
    case DType::kFloat16:
      return body.template operator()<Float16>();
    case DType::kInt32:
      return body.template operator()<int32_t>();
    case DType::kInt64:
      return body.template operator()<int64_t>();
    case DType::kUInt8:
      return body.template operator()<uint8_t>();
    case DType::kBool:
      return body.template operator()<bool>();
    case DType::kString:
      break;
  }
  return body.template operator()<std::string>();
}

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_TENSOR_DTYPE_H_
