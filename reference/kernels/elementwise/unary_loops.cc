#include <cstddef>

#include "reference/base/check.h"
#include "reference/kernels/elementwise/elementwise_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/elementwise/unary_loops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

template <class D, class V>
HWY_INLINE V SignOf(D d, V x) {
  const V zero = hn::Zero(d);
  const V one = hn::CopySign(hn::Set(d, 1), x);
  // The sign of zeros and NaN is the value itself.
  return hn::IfThenElse(hn::Or(hn::Lt(x, zero), hn::Gt(x, zero)), one, x);
}

template <UnaryOp op, class D, class V>
HWY_INLINE V Apply(D d, V x) {
  if constexpr (op == UnaryOp::kNegate) return hn::Neg(x);
  if constexpr (op == UnaryOp::kAbs) return hn::Abs(x);
  if constexpr (op == UnaryOp::kSquare) return hn::Mul(x, x);
  if constexpr (op == UnaryOp::kSign) return SignOf(d, x);
  if constexpr (op == UnaryOp::kSqrt) return hn::Sqrt(x);
  // Not Max, which would turn NaN into 0.
  if constexpr (op == UnaryOp::kRelu) {
    return hn::IfThenElse(hn::Le(x, hn::Zero(d)), hn::Zero(d), x);
  }
}

template <UnaryOp op, typename T>
HWY_NOINLINE void Loop(const T* x, T* y, int64_t count) {
  VectorLoop<ComputeType<T>>(count, [&](auto d, size_t i) HWY_ATTR {
    StoreFloats(Apply<op>(d, LoadFloats(d, x + i)), d, y + i);
  });
}

template <typename T>
void Dispatch(UnaryOp op, const T* x, T* y, int64_t count) {
  switch (op) {
    case UnaryOp::kNegate:
      return Loop<UnaryOp::kNegate>(x, y, count);
    case UnaryOp::kAbs:
      return Loop<UnaryOp::kAbs>(x, y, count);
    case UnaryOp::kSquare:
      return Loop<UnaryOp::kSquare>(x, y, count);
    case UnaryOp::kSign:
      return Loop<UnaryOp::kSign>(x, y, count);
    case UnaryOp::kSqrt:
      return Loop<UnaryOp::kSqrt>(x, y, count);
    case UnaryOp::kRelu:
      return Loop<UnaryOp::kRelu>(x, y, count);
    default:
      LOCKSTEP_CHECK(!"an operation with vectors");
  }
}

template <typename T>
HWY_INLINE void Mask(const T* y, const T* dy, T* dx, int64_t count) {
  VectorLoop<ComputeType<T>>(count, [&](auto d, size_t i) HWY_ATTR {
    const auto positive = hn::Gt(LoadFloats(d, y + i), hn::Zero(d));
    StoreFloats(hn::IfThenElseZero(positive, LoadFloats(d, dy + i)), d, dx + i);
  });
}

void UnaryFloat(UnaryOp op, const float* x, float* y, int64_t count) {
  Dispatch(op, x, y, count);
}

void UnaryDouble(UnaryOp op, const double* x, double* y, int64_t count) {
  Dispatch(op, x, y, count);
}

void UnaryBFloat16(UnaryOp op, const BFloat16* x, BFloat16* y, int64_t count) {
  Dispatch(op, x, y, count);
}

void MaskFloat(const float* y, const float* dy, float* dx, int64_t count) {
  Mask(y, dy, dx, count);
}

void MaskDouble(const double* y, const double* dy, double* dx, int64_t count) {
  Mask(y, dy, dx, count);
}

void MaskBFloat16(const BFloat16* y, const BFloat16* dy, BFloat16* dx,
                  int64_t count) {
  Mask(y, dy, dx, count);
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(UnaryFloat);
HWY_EXPORT(UnaryDouble);
HWY_EXPORT(UnaryBFloat16);
HWY_EXPORT(MaskFloat);
HWY_EXPORT(MaskDouble);
HWY_EXPORT(MaskBFloat16);

template <>
void UnaryLoop(UnaryOp op, const float* x, float* y, int64_t count) {
  HWY_DYNAMIC_DISPATCH(UnaryFloat)(op, x, y, count);
}

template <>
void UnaryLoop(UnaryOp op, const double* x, double* y, int64_t count) {
  HWY_DYNAMIC_DISPATCH(UnaryDouble)(op, x, y, count);
}

template <>
void UnaryLoop(UnaryOp op, const BFloat16* x, BFloat16* y, int64_t count) {
  HWY_DYNAMIC_DISPATCH(UnaryBFloat16)(op, x, y, count);
}

template <>
void ReluBackwardLoop(const float* y, const float* dy, float* dx,
                      int64_t count) {
  HWY_DYNAMIC_DISPATCH(MaskFloat)(y, dy, dx, count);
}

template <>
void ReluBackwardLoop(const double* y, const double* dy, double* dx,
                      int64_t count) {
  HWY_DYNAMIC_DISPATCH(MaskDouble)(y, dy, dx, count);
}

template <>
void ReluBackwardLoop(const BFloat16* y, const BFloat16* dy, BFloat16* dx,
                      int64_t count) {
  HWY_DYNAMIC_DISPATCH(MaskBFloat16)(y, dy, dx, count);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
