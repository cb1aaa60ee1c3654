#include <cstddef>

#include "reference/base/check.h"
#include "reference/kernels/elementwise/elementwise_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/elementwise/exponential_loops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/exponential-inl.h"
#include "reference/kernels/cpu/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

template <UnaryOp op, class D, class V>
HWY_INLINE V Apply(D d, V x) {
  if constexpr (op == UnaryOp::kExp) return ExpOf(d, x);
  if constexpr (op == UnaryOp::kLog) return LogOf(d, x);
  if constexpr (op == UnaryOp::kSigmoid) return SigmoidOf(d, x);
  if constexpr (op == UnaryOp::kTanh) return hn::Tanh(d, x);
}

template <UnaryOp op, typename T>
HWY_NOINLINE void Loop(const T* x, T* y, int64_t count) {
  VectorLoop<T>(count, [&](auto d, size_t i) HWY_ATTR {
    hn::StoreU(Apply<op>(d, hn::LoadU(d, x + i)), d, y + i);
  });
}

template <typename T>
void Dispatch(UnaryOp op, const T* x, T* y, int64_t count) {
  switch (op) {
    case UnaryOp::kExp:
      return Loop<UnaryOp::kExp>(x, y, count);
    case UnaryOp::kLog:
      return Loop<UnaryOp::kLog>(x, y, count);
    case UnaryOp::kSigmoid:
      return Loop<UnaryOp::kSigmoid>(x, y, count);
    case UnaryOp::kTanh:
      return Loop<UnaryOp::kTanh>(x, y, count);
    default:
      LOCKSTEP_CHECK(!"an exponential function");
  }
}

void ExponentialFloat(UnaryOp op, const float* x, float* y, int64_t count) {
  Dispatch(op, x, y, count);
}

void ExponentialDouble(UnaryOp op, const double* x, double* y, int64_t count) {
  Dispatch(op, x, y, count);
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(ExponentialFloat);
HWY_EXPORT(ExponentialDouble);

template <>
void ExponentialLoop(UnaryOp op, const float* x, float* y, int64_t count) {
  HWY_DYNAMIC_DISPATCH(ExponentialFloat)(op, x, y, count);
}

template <>
void ExponentialLoop(UnaryOp op, const double* x, double* y, int64_t count) {
  HWY_DYNAMIC_DISPATCH(ExponentialDouble)(op, x, y, count);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
