#include "reference/kernels/optimizer/optimizer_loops.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/optimizer/optimizer_loops.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

// Each operation rounds, as in Keras: no fused multiply-add.
template <typename T>
HWY_INLINE void Adam(const AdamConstants<T>& constants, const T* gradient,
                     T* variable, T* momentum, T* velocity, int64_t count) {
  VectorLoop<T>(count, [&](auto d, size_t i) HWY_ATTR {
    const auto g = hn::LoadU(d, gradient + i);
    auto m = hn::LoadU(d, momentum + i);
    auto v = hn::LoadU(d, velocity + i);
    m = hn::Add(m,
                hn::Mul(hn::Sub(g, m), hn::Set(d, constants.one_minus_beta_1)));
    v = hn::Add(v, hn::Mul(hn::Sub(hn::Mul(g, g), v),
                           hn::Set(d, constants.one_minus_beta_2)));
    const auto step =
        hn::Div(hn::Mul(m, hn::Set(d, constants.alpha)),
                hn::Add(hn::Sqrt(v), hn::Set(d, constants.epsilon)));
    hn::StoreU(m, d, momentum + i);
    hn::StoreU(v, d, velocity + i);
    hn::StoreU(hn::Sub(hn::LoadU(d, variable + i), step), d, variable + i);
  });
}

template <typename T>
HWY_INLINE void PlainSgd(T learning_rate, const T* gradient, T* variable,
                         int64_t count) {
  VectorLoop<T>(count, [&](auto d, size_t i) HWY_ATTR {
    const auto step =
        hn::Mul(hn::LoadU(d, gradient + i), hn::Set(d, learning_rate));
    hn::StoreU(hn::Sub(hn::LoadU(d, variable + i), step), d, variable + i);
  });
}

template <typename T>
HWY_INLINE void Sgd(const SgdConstants<T>& constants, const T* gradient,
                    T* variable, T* velocity, int64_t count) {
  if (velocity == nullptr) {
    return PlainSgd(constants.learning_rate, gradient, variable, count);
  }
  VectorLoop<T>(count, [&](auto d, size_t i) HWY_ATTR {
    const auto momentum = hn::Set(d, constants.momentum);
    const auto step = hn::Mul(hn::LoadU(d, gradient + i),
                              hn::Set(d, constants.learning_rate));
    const auto v = hn::Sub(hn::Mul(hn::LoadU(d, velocity + i), momentum), step);
    hn::StoreU(v, d, velocity + i);
    const auto w = hn::LoadU(d, variable + i);
    const auto move =
        constants.nesterov ? hn::Sub(hn::Mul(v, momentum), step) : v;
    hn::StoreU(hn::Add(w, move), d, variable + i);
  });
}

void AdamFloat(const AdamConstants<float>& constants, const float* gradient,
               float* variable, float* momentum, float* velocity,
               int64_t count) {
  Adam(constants, gradient, variable, momentum, velocity, count);
}

void AdamDouble(const AdamConstants<double>& constants, const double* gradient,
                double* variable, double* momentum, double* velocity,
                int64_t count) {
  Adam(constants, gradient, variable, momentum, velocity, count);
}

void SgdFloat(const SgdConstants<float>& constants, const float* gradient,
              float* variable, float* velocity, int64_t count) {
  Sgd(constants, gradient, variable, velocity, count);
}

void SgdDouble(const SgdConstants<double>& constants, const double* gradient,
               double* variable, double* velocity, int64_t count) {
  Sgd(constants, gradient, variable, velocity, count);
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(AdamFloat);
HWY_EXPORT(AdamDouble);
HWY_EXPORT(SgdFloat);
HWY_EXPORT(SgdDouble);

template <>
void AdamLoop(const AdamConstants<float>& constants, const float* gradient,
              float* variable, float* momentum, float* velocity,
              int64_t count) {
  HWY_DYNAMIC_DISPATCH(AdamFloat)
  (constants, gradient, variable, momentum, velocity, count);
}

template <>
void AdamLoop(const AdamConstants<double>& constants, const double* gradient,
              double* variable, double* momentum, double* velocity,
              int64_t count) {
  HWY_DYNAMIC_DISPATCH(AdamDouble)
  (constants, gradient, variable, momentum, velocity, count);
}

template <>
void SgdLoop(const SgdConstants<float>& constants, const float* gradient,
             float* variable, float* velocity, int64_t count) {
  HWY_DYNAMIC_DISPATCH(SgdFloat)
  (constants, gradient, variable, velocity, count);
}

template <>
void SgdLoop(const SgdConstants<double>& constants, const double* gradient,
             double* variable, double* velocity, int64_t count) {
  HWY_DYNAMIC_DISPATCH(SgdDouble)
  (constants, gradient, variable, velocity, count);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
