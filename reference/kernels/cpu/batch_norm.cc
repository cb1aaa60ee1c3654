#include "reference/kernels/cpu/batch_norm.h"

#include <cstddef>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/cpu/batch_norm.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/kernels/cpu/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

// Sums run in double, where the product of two floats is exact.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadAsDouble(D d, const T* from) {
  if constexpr (std::is_same_v<T, double>) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
  }
}

template <class V>
HWY_INLINE V Cut(V value) {
  const hn::DFromV<V> d;
  return hn::IfThenElse(hn::Le(value, hn::Zero(d)), hn::Zero(d), value);
}

template <typename T>
HWY_INLINE void Moments(Rows rows, const T* x, double* sums, double* squares) {
  for (int64_t row = 0; row < rows.count; ++row, x += rows.channels) {
    VectorLoop<double>(rows.channels, [&](auto d, size_t c) HWY_ATTR {
      const auto v = LoadAsDouble(d, x + c);
      hn::StoreU(hn::Add(hn::LoadU(d, sums + c), v), d, sums + c);
      hn::StoreU(hn::Add(hn::LoadU(d, squares + c), hn::Mul(v, v)), d,
                 squares + c);
    });
  }
}

template <bool kAdd, bool kRelu, typename T>
HWY_INLINE void Forward(Rows rows, const Normalization<T>& channels, const T* x,
                        const T* addend, T* y) {
  for (int64_t row = 0; row < rows.count; ++row) {
    const int64_t at = row * rows.channels;
    VectorLoop<T>(rows.channels, [&](auto d, size_t c) HWY_ATTR {
      const auto centred =
          hn::Sub(hn::LoadU(d, x + at + c), hn::LoadU(d, channels.mean + c));
      auto v = hn::Add(hn::Mul(centred, hn::LoadU(d, channels.scale + c)),
                       hn::LoadU(d, channels.offset + c));
      if constexpr (kAdd) v = hn::Add(v, hn::LoadU(d, addend + at + c));
      if constexpr (kRelu) v = Cut(v);
      hn::StoreU(v, d, y + at + c);
    });
  }
}

template <typename T>
HWY_INLINE void ForwardAny(Rows rows, const Normalization<T>& channels,
                           const T* x, const T* addend, bool relu, T* y) {
  if (addend != nullptr) {
    if (relu) return Forward<true, true>(rows, channels, x, addend, y);
    return Forward<true, false>(rows, channels, x, addend, y);
  }
  if (relu) return Forward<false, true>(rows, channels, x, addend, y);
  Forward<false, false>(rows, channels, x, addend, y);
}

template <bool kRelu, class D, typename T>
HWY_INLINE hn::Vec<D> Masked(D d, const T* y, const T* dy, size_t at) {
  const auto gradient = hn::LoadU(d, dy + at);
  if constexpr (!kRelu) return gradient;
  return hn::IfThenElseZero(hn::Gt(hn::LoadU(d, y + at), hn::Zero(d)),
                            gradient);
}

template <bool kRelu, class D, typename T>
HWY_INLINE hn::Vec<D> MaskedAsDouble(D d, const T* y, const T* dy, size_t at) {
  if constexpr (std::is_same_v<T, double>) {
    return Masked<kRelu>(d, y, dy, at);
  } else {
    return hn::PromoteTo(d, Masked<kRelu>(hn::Rebind<T, D>(), y, dy, at));
  }
}

template <bool kRelu, typename T>
HWY_INLINE void GradientSums(Rows rows, const T* mean, const T* x, const T* y,
                             const T* dy, double* sums, double* products) {
  for (int64_t row = 0; row < rows.count; ++row) {
    const int64_t at = row * rows.channels;
    VectorLoop<double>(rows.channels, [&](auto d, size_t c) HWY_ATTR {
      const auto dz = MaskedAsDouble<kRelu>(d, y, dy, at + c);
      const auto centred =
          hn::Sub(LoadAsDouble(d, x + at + c), LoadAsDouble(d, mean + c));
      hn::StoreU(hn::Add(hn::LoadU(d, sums + c), dz), d, sums + c);
      hn::StoreU(hn::Add(hn::LoadU(d, products + c), hn::Mul(dz, centred)), d,
                 products + c);
    });
  }
}

template <bool kRelu, typename T>
HWY_INLINE void Backward(Rows rows, const NormalizationGradient<T>& channels,
                         const T* x, const T* y, const T* dy, T* dx, T* dz) {
  for (int64_t row = 0; row < rows.count; ++row) {
    const int64_t at = row * rows.channels;
    VectorLoop<T>(rows.channels, [&](auto d, size_t c) HWY_ATTR {
      const auto gradient = Masked<kRelu>(d, y, dy, at + c);
      if (dz != nullptr) hn::StoreU(gradient, d, dz + at + c);
      const auto centred =
          hn::Sub(hn::LoadU(d, x + at + c), hn::LoadU(d, channels.mean + c));
      const auto straight =
          hn::Sub(hn::Mul(gradient, hn::LoadU(d, channels.scale + c)),
                  hn::LoadU(d, channels.shift + c));
      hn::StoreU(
          hn::Sub(straight, hn::Mul(centred, hn::LoadU(d, channels.slope + c))),
          d, dx + at + c);
    });
  }
}

void MomentsFloat(Rows rows, const float* x, double* sums, double* squares) {
  Moments(rows, x, sums, squares);
}

void MomentsDouble(Rows rows, const double* x, double* sums, double* squares) {
  Moments(rows, x, sums, squares);
}

void ForwardFloat(Rows rows, const Normalization<float>& channels,
                  const float* x, const float* addend, bool relu, float* y) {
  ForwardAny(rows, channels, x, addend, relu, y);
}

void ForwardDouble(Rows rows, const Normalization<double>& channels,
                   const double* x, const double* addend, bool relu,
                   double* y) {
  ForwardAny(rows, channels, x, addend, relu, y);
}

void SumsFloat(Rows rows, const float* mean, const float* x, const float* y,
               const float* dy, double* sums, double* products) {
  if (y == nullptr) {
    return GradientSums<false>(rows, mean, x, y, dy, sums, products);
  }
  GradientSums<true>(rows, mean, x, y, dy, sums, products);
}

void SumsDouble(Rows rows, const double* mean, const double* x, const double* y,
                const double* dy, double* sums, double* products) {
  if (y == nullptr) {
    return GradientSums<false>(rows, mean, x, y, dy, sums, products);
  }
  GradientSums<true>(rows, mean, x, y, dy, sums, products);
}

void BackwardFloat(Rows rows, const NormalizationGradient<float>& channels,
                   const float* x, const float* y, const float* dy, float* dx,
                   float* dz) {
  if (y == nullptr) return Backward<false>(rows, channels, x, y, dy, dx, dz);
  Backward<true>(rows, channels, x, y, dy, dx, dz);
}

void BackwardDouble(Rows rows, const NormalizationGradient<double>& channels,
                    const double* x, const double* y, const double* dy,
                    double* dx, double* dz) {
  if (y == nullptr) return Backward<false>(rows, channels, x, y, dy, dx, dz);
  Backward<true>(rows, channels, x, y, dy, dx, dz);
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

HWY_EXPORT(MomentsFloat);
HWY_EXPORT(MomentsDouble);
HWY_EXPORT(ForwardFloat);
HWY_EXPORT(ForwardDouble);
HWY_EXPORT(SumsFloat);
HWY_EXPORT(SumsDouble);
HWY_EXPORT(BackwardFloat);
HWY_EXPORT(BackwardDouble);

template <>
void AddMoments(Rows rows, const float* x, double* sums, double* squares) {
  HWY_DYNAMIC_DISPATCH(MomentsFloat)(rows, x, sums, squares);
}

template <>
void AddMoments(Rows rows, const double* x, double* sums, double* squares) {
  HWY_DYNAMIC_DISPATCH(MomentsDouble)(rows, x, sums, squares);
}

template <>
void Normalize(Rows rows, const Normalization<float>& channels, const float* x,
               const float* addend, bool relu, float* y) {
  HWY_DYNAMIC_DISPATCH(ForwardFloat)(rows, channels, x, addend, relu, y);
}

template <>
void Normalize(Rows rows, const Normalization<double>& channels,
               const double* x, const double* addend, bool relu, double* y) {
  HWY_DYNAMIC_DISPATCH(ForwardDouble)(rows, channels, x, addend, relu, y);
}

template <>
void AddGradientSums(Rows rows, const float* mean, const float* x,
                     const float* y, const float* dy, double* sums,
                     double* products) {
  HWY_DYNAMIC_DISPATCH(SumsFloat)(rows, mean, x, y, dy, sums, products);
}

template <>
void AddGradientSums(Rows rows, const double* mean, const double* x,
                     const double* y, const double* dy, double* sums,
                     double* products) {
  HWY_DYNAMIC_DISPATCH(SumsDouble)(rows, mean, x, y, dy, sums, products);
}

template <>
void NormalizeBackward(Rows rows, const NormalizationGradient<float>& channels,
                       const float* x, const float* y, const float* dy,
                       float* dx, float* dz) {
  HWY_DYNAMIC_DISPATCH(BackwardFloat)(rows, channels, x, y, dy, dx, dz);
}

template <>
void NormalizeBackward(Rows rows, const NormalizationGradient<double>& channels,
                       const double* x, const double* y, const double* dy,
                       double* dx, double* dz) {
  HWY_DYNAMIC_DISPATCH(BackwardDouble)(rows, channels, x, y, dy, dx, dz);
}

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
