// Calls a body with the C++ type of an arithmetic tensor.
//
//   VisitArithmetic(x.dtype(), [&]<typename T>() { Fill<T>(x); });
#ifndef LOCKSTEP_REFERENCE_KERNELS_VISIT_ARITHMETIC_H_
#define LOCKSTEP_REFERENCE_KERNELS_VISIT_ARITHMETIC_H_

#include <type_traits>

#include "reference/base/check.h"
#include "reference/tensor/dtype.h"

namespace lockstep::kernels_internal {

// REQUIRES: float32, float64, int32 or int64 (CheckArithmetic).
template <class Body>
void VisitArithmetic(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::kFloat32:
      return body.template operator()<float>();
    case DType::kFloat64:
      return body.template operator()<double>();
    case DType::kInt32:
      return body.template operator()<int32_t>();
    case DType::kInt64:
      return body.template operator()<int64_t>();
    default:
      LOCKSTEP_CHECK(!"an arithmetic type");
  }
}

// As VisitArithmetic, and for the 16-bit floats, whose elements convert to
// other numbers by static_cast only.
template <class Body>
void VisitArithmeticOrNarrow(DType dtype, const Body& body) {
  if (dtype == DType::kBFloat16) return body.template operator()<BFloat16>();
  if (dtype == DType::kFloat16) return body.template operator()<Float16>();
  VisitArithmetic(dtype, body);
}

// REQUIRES: float32 or float64 (CheckFloating).
template <class Body>
void VisitFloating(DType dtype, const Body& body) {
  if (dtype == DType::kFloat32) return body.template operator()<float>();
  LOCKSTEP_CHECK(dtype == DType::kFloat64);
  body.template operator()<double>();
}

// As VisitFloating, and for bfloat16, which vector loops load and store
// themselves.
template <class Body>
void VisitFloatingOrBFloat16(DType dtype, const Body& body) {
  if (dtype == DType::kBFloat16) return body.template operator()<BFloat16>();
  VisitFloating(dtype, body);
}

// REQUIRES: int32, int64 or uint8 (CheckIndices).
template <class Body>
void VisitIndices(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::kInt32:
      return body.template operator()<int32_t>();
    case DType::kInt64:
      return body.template operator()<int64_t>();
    case DType::kUInt8:
      return body.template operator()<uint8_t>();
    default:
      LOCKSTEP_CHECK(!"a type of indices");
  }
}

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_VISIT_ARITHMETIC_H_
