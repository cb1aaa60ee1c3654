#include <cstddef>
#include <type_traits>

#include "reference/base/check.h"
#include "reference/kernels/elementwise/elementwise_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/elementwise/binary_loops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

template <BinaryOp op, class V>
HWY_INLINE V Apply(V a, V b) {
  if constexpr (op == BinaryOp::kAdd) return hn::Add(a, b);
  if constexpr (op == BinaryOp::kSubtract) return hn::Sub(a, b);
  if constexpr (op == BinaryOp::kMultiply) return hn::Mul(a, b);
  if constexpr (op == BinaryOp::kDivide) return hn::Div(a, b);
}

// Loads b[i..], or the only element of b.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadOrSet(D d, const T* b, int64_t stride, size_t i) {
  using Element = hn::TFromD<D>;
  return stride ? LoadFloats(d, b + i) : hn::Set(d, static_cast<Element>(*b));
}

template <BinaryOp op, typename T>
HWY_NOINLINE void Row(const T* a, int64_t a_stride, const T* b,
                      int64_t b_stride, T* out, size_t count) {
  if (a_stride == 0) {
    VectorLoop<ComputeType<T>>(count, [&](auto d, size_t i) HWY_ATTR {
      const auto right = LoadOrSet(d, b, b_stride, i);
      StoreFloats(Apply<op>(LoadOrSet(d, a, 0, i), right), d, out + i);
    });
  } else {
    VectorLoop<ComputeType<T>>(count, [&](auto d, size_t i) HWY_ATTR {
      const auto right = LoadOrSet(d, b, b_stride, i);
      StoreFloats(Apply<op>(LoadFloats(d, a + i), right), d, out + i);
    });
  }
}

template <typename T>
void Dispatch(BinaryOp op, const T* a, int64_t a_stride, const T* b,
              int64_t b_stride, T* out, int64_t count) {
  switch (op) {
    case BinaryOp::kAdd:
      return Row<BinaryOp::kAdd>(a, a_stride, b, b_stride, out, count);
    case BinaryOp::kSubtract:
      return Row<BinaryOp::kSubtract>(a, a_stride, b, b_stride, out, count);
    case BinaryOp::kMultiply:
      return Row<BinaryOp::kMultiply>(a, a_stride, b, b_stride, out, count);
    case BinaryOp::kDivide:
      return Row<BinaryOp::kDivide>(a, a_stride, b, b_stride, out, count);
  }
}

void BinaryRowFloat(BinaryOp op, const float* a, int64_t a_stride,
                    const float* b, int64_t b_stride, float* out,
                    int64_t count) {
  Dispatch(op, a, a_stride, b, b_stride, out, count);
}

void BinaryRowDouble(BinaryOp op, const double* a, int64_t a_stride,
                     const double* b, int64_t b_stride, double* out,
                     int64_t count) {
  Dispatch(op, a, a_stride, b, b_stride, out, count);
}

void BinaryRowBFloat16(BinaryOp op, const BFloat16* a, int64_t a_stride,
                       const BFloat16* b, int64_t b_stride, BFloat16* out,
                       int64_t count) {
  Dispatch(op, a, a_stride, b, b_stride, out, count);
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(BinaryRowFloat);
HWY_EXPORT(BinaryRowDouble);
HWY_EXPORT(BinaryRowBFloat16);

template <>
void BinaryRow(BinaryOp op, const float* a, int64_t a_stride, const float* b,
               int64_t b_stride, float* out, int64_t count) {
  HWY_DYNAMIC_DISPATCH(BinaryRowFloat)
  (op, a, a_stride, b, b_stride, out, count);
}

template <>
void BinaryRow(BinaryOp op, const double* a, int64_t a_stride, const double* b,
               int64_t b_stride, double* out, int64_t count) {
  HWY_DYNAMIC_DISPATCH(BinaryRowDouble)
  (op, a, a_stride, b, b_stride, out, count);
}

template <>
void BinaryRow(BinaryOp op, const BFloat16* a, int64_t a_stride,
               const BFloat16* b, int64_t b_stride, BFloat16* out,
               int64_t count) {
  HWY_DYNAMIC_DISPATCH(BinaryRowBFloat16)
  (op, a, a_stride, b, b_stride, out, count);
}

namespace {

// In unsigned arithmetic: integers wrap around instead of overflowing.
template <typename T>
void IntegerRow(BinaryOp op, const T* a, int64_t a_stride, const T* b,
                int64_t b_stride, T* out, int64_t count) {
  using U = std::make_unsigned_t<T>;
  LOCKSTEP_CHECK(op != BinaryOp::kDivide);
  for (int64_t i = 0; i < count; ++i) {
    const U x = static_cast<U>(a[i * a_stride]);
    const U y = static_cast<U>(b[i * b_stride]);
    out[i] = static_cast<T>(op == BinaryOp::kAdd        ? x + y
                            : op == BinaryOp::kSubtract ? x - y
                                                        : x * y);
  }
}

}  // namespace

template <>
void BinaryRow(BinaryOp op, const int32_t* a, int64_t a_stride,
               const int32_t* b, int64_t b_stride, int32_t* out,
               int64_t count) {
  IntegerRow(op, a, a_stride, b, b_stride, out, count);
}

template <>
void BinaryRow(BinaryOp op, const int64_t* a, int64_t a_stride,
               const int64_t* b, int64_t b_stride, int64_t* out,
               int64_t count) {
  IntegerRow(op, a, a_stride, b, b_stride, out, count);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
