// (1 + tanh(u)) / 2 is the sigmoid of 2u, and its derivative is 2 s (1 - s).
#include <cmath>
#include <cstddef>
#include <numbers>

#include "reference/kernels/elementwise/elementwise_loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/elementwise/gelu_loops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/exponential-inl.h"
#include "reference/kernels/cpu/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

// 2u = scale (x + cube x^3).
constexpr double kCube = 0.044715;
const double kScale = 2 * std::sqrt(2 / std::numbers::pi);

template <class D>
HWY_INLINE hn::Vec<D> Constant(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

// P(x).
template <class D, class V>
HWY_INLINE V Probability(D d, V x) {
  const auto cubed = hn::Mul(hn::Mul(x, x), x);
  const auto sum = hn::Add(x, hn::Mul(Constant(d, kCube), cubed));
  return SigmoidOf(d, hn::Mul(Constant(d, kScale), sum));
}

template <typename T>
void Gelu(const T* x, T* y, int64_t count) {
  VectorLoop<T>(count, [&](auto d, size_t i) HWY_ATTR {
    const auto v = hn::LoadU(d, x + i);
    hn::StoreU(hn::Mul(v, Probability(d, v)), d, y + i);
  });
}

template <typename T>
void GeluBackward(const T* x, const T* dy, T* dx, int64_t count) {
  VectorLoop<T>(count, [&](auto d, size_t i) HWY_ATTR {
    const auto v = hn::LoadU(d, x + i);
    const auto one = hn::Set(d, 1);
    const auto p = Probability(d, v);
    const auto inner =
        hn::Add(one, hn::Mul(Constant(d, 3 * kCube), hn::Mul(v, v)));
    const auto slope = hn::Mul(hn::Mul(p, hn::Sub(one, p)),
                               hn::Mul(Constant(d, kScale), inner));
    const auto derivative = hn::Add(p, hn::Mul(v, slope));
    hn::StoreU(hn::Mul(hn::LoadU(d, dy + i), derivative), d, dx + i);
  });
}

void GeluFloat(const float* x, float* y, int64_t count) { Gelu(x, y, count); }
void GeluDouble(const double* x, double* y, int64_t count) {
  Gelu(x, y, count);
}
void GeluBackwardFloat(const float* x, const float* dy, float* dx,
                       int64_t count) {
  GeluBackward(x, dy, dx, count);
}
void GeluBackwardDouble(const double* x, const double* dy, double* dx,
                        int64_t count) {
  GeluBackward(x, dy, dx, count);
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(GeluFloat);
HWY_EXPORT(GeluDouble);
HWY_EXPORT(GeluBackwardFloat);
HWY_EXPORT(GeluBackwardDouble);

template <>
void GeluTanhLoop(const float* x, float* y, int64_t count) {
  HWY_DYNAMIC_DISPATCH(GeluFloat)(x, y, count);
}

template <>
void GeluTanhLoop(const double* x, double* y, int64_t count) {
  HWY_DYNAMIC_DISPATCH(GeluDouble)(x, y, count);
}

template <>
void GeluTanhBackwardLoop(const float* x, const float* dy, float* dx,
                          int64_t count) {
  HWY_DYNAMIC_DISPATCH(GeluBackwardFloat)(x, dy, dx, count);
}

template <>
void GeluTanhBackwardLoop(const double* x, const double* dy, double* dx,
                          int64_t count) {
  HWY_DYNAMIC_DISPATCH(GeluBackwardDouble)(x, dy, dx, count);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
