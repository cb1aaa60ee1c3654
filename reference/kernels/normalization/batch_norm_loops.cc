#include "reference/kernels/normalization/batch_norm_loops.h"

#include <cstddef>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/kernels/normalization/batch_norm_loops.cc"
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
    return hn::PromoteTo(d, LoadFloats(hn::Rebind<float, D>(), from));
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
HWY_INLINE void Forward(Rows rows,
                        const Normalization<ComputeType<T>>& channels,
                        const T* x, const T* addend, T* y) {
  for (int64_t row = 0; row < rows.count; ++row) {
    const int64_t at = row * rows.channels;
    VectorLoop<ComputeType<T>>(rows.channels, [&](auto d, size_t c) HWY_ATTR {
      const auto centred =
          hn::Sub(LoadFloats(d, x + at + c), hn::LoadU(d, channels.mean + c));
      auto v = hn::Add(hn::Mul(centred, hn::LoadU(d, channels.scale + c)),
                       hn::LoadU(d, channels.offset + c));
      if constexpr (kAdd) v = hn::Add(v, LoadFloats(d, addend + at + c));
      if constexpr (kRelu) v = Cut(v);
      StoreFloats(v, d, y + at + c);
    });
  }
}

template <typename T>
HWY_INLINE void ForwardAny(Rows rows,
                           const Normalization<ComputeType<T>>& channels,
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
  const auto gradient = LoadFloats(d, dy + at);
  if constexpr (!kRelu) return gradient;
  return hn::IfThenElseZero(hn::Gt(LoadFloats(d, y + at), hn::Zero(d)),
                            gradient);
}

template <bool kRelu, class D, typename T>
HWY_INLINE hn::Vec<D> MaskedAsDouble(D d, const T* y, const T* dy, size_t at) {
  if constexpr (std::is_same_v<T, double>) {
    return Masked<kRelu>(d, y, dy, at);
  } else {
    return hn::PromoteTo(d, Masked<kRelu>(hn::Rebind<float, D>(), y, dy, at));
  }
}

template <bool kRelu, typename T>
HWY_INLINE void GradientSums(Rows rows, const ComputeType<T>* mean, const T* x,
                             const T* y, const T* dy, double* sums,
                             double* products) {
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
HWY_INLINE void Backward(Rows rows,
                         const NormalizationGradient<ComputeType<T>>& channels,
                         const T* x, const T* y, const T* dy, T* dx, T* dz) {
  for (int64_t row = 0; row < rows.count; ++row) {
    const int64_t at = row * rows.channels;
    VectorLoop<ComputeType<T>>(rows.channels, [&](auto d, size_t c) HWY_ATTR {
      const auto gradient = Masked<kRelu>(d, y, dy, at + c);
      if (dz != nullptr) StoreFloats(gradient, d, dz + at + c);
      const auto centred =
          hn::Sub(LoadFloats(d, x + at + c), hn::LoadU(d, channels.mean + c));
      const auto straight =
          hn::Sub(hn::Mul(gradient, hn::LoadU(d, channels.scale + c)),
                  hn::LoadU(d, channels.shift + c));
      StoreFloats(
          hn::Sub(straight, hn::Mul(centred, hn::LoadU(d, channels.slope + c))),
          d, dx + at + c);
    });
  }
}

template <typename T>
HWY_INLINE void GradientSumsAny(Rows rows, const ComputeType<T>* mean,
                                const T* x, const T* y, const T* dy,
                                double* sums, double* products) {
  if (y == nullptr) {
    return GradientSums<false>(rows, mean, x, y, dy, sums, products);
  }
  GradientSums<true>(rows, mean, x, y, dy, sums, products);
}

template <typename T>
HWY_INLINE void BackwardAny(
    Rows rows, const NormalizationGradient<ComputeType<T>>& channels,
    const T* x, const T* y, const T* dy, T* dx, T* dz) {
  if (y == nullptr) return Backward<false>(rows, channels, x, y, dy, dx, dz);
  Backward<true>(rows, channels, x, y, dy, dx, dz);
}

// The functions of the header for elements of type T.
#define LOCKSTEP_BATCH_NORM_LOOPS(T, Suffix)                                   \
  void Moments##Suffix(Rows rows, const T* x, double* sums, double* squares) { \
    Moments(rows, x, sums, squares);                                           \
  }                                                                            \
  void Forward##Suffix(Rows rows,                                              \
                       const Normalization<ComputeType<T>>& channels,          \
                       const T* x, const T* addend, bool relu, T* y) {         \
    ForwardAny(rows, channels, x, addend, relu, y);                            \
  }                                                                            \
  void Sums##Suffix(Rows rows, const ComputeType<T>* mean, const T* x,         \
                    const T* y, const T* dy, double* sums, double* products) { \
    GradientSumsAny(rows, mean, x, y, dy, sums, products);                     \
  }                                                                            \
  void Backward##Suffix(Rows rows,                                             \
                        const NormalizationGradient<ComputeType<T>>& channels, \
                        const T* x, const T* y, const T* dy, T* dx, T* dz) {   \
    BackwardAny(rows, channels, x, y, dy, dx, dz);                             \
  }

LOCKSTEP_BATCH_NORM_LOOPS(float, Float)
LOCKSTEP_BATCH_NORM_LOOPS(double, Double)
LOCKSTEP_BATCH_NORM_LOOPS(BFloat16, BFloat16)
#undef LOCKSTEP_BATCH_NORM_LOOPS

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels_internal {

#define LOCKSTEP_BATCH_NORM_DISPATCH(T, Suffix)                               \
  HWY_EXPORT(Moments##Suffix);                                                \
  HWY_EXPORT(Forward##Suffix);                                                \
  HWY_EXPORT(Sums##Suffix);                                                   \
  HWY_EXPORT(Backward##Suffix);                                               \
  template <>                                                                 \
  void AddMoments(Rows rows, const T* x, double* sums, double* squares) {     \
    HWY_DYNAMIC_DISPATCH(Moments##Suffix)(rows, x, sums, squares);            \
  }                                                                           \
  template <>                                                                 \
  void Normalize(Rows rows, const Normalization<ComputeType<T>>& channels,    \
                 const T* x, const T* addend, bool relu, T* y) {              \
    HWY_DYNAMIC_DISPATCH(Forward##Suffix)                                     \
    (rows, channels, x, addend, relu, y);                                     \
  }                                                                           \
  template <>                                                                 \
  void AddGradientSums(Rows rows, const ComputeType<T>* mean, const T* x,     \
                       const T* y, const T* dy, double* sums,                 \
                       double* products) {                                    \
    HWY_DYNAMIC_DISPATCH(Sums##Suffix)(rows, mean, x, y, dy, sums, products); \
  }                                                                           \
  template <>                                                                 \
  void NormalizeBackward(                                                     \
      Rows rows, const NormalizationGradient<ComputeType<T>>& channels,       \
      const T* x, const T* y, const T* dy, T* dx, T* dz) {                    \
    HWY_DYNAMIC_DISPATCH(Backward##Suffix)                                    \
    (rows, channels, x, y, dy, dx, dz);                                       \
  }

LOCKSTEP_BATCH_NORM_DISPATCH(float, Float)
LOCKSTEP_BATCH_NORM_DISPATCH(double, Double)
LOCKSTEP_BATCH_NORM_DISPATCH(BFloat16, BFloat16)
#undef LOCKSTEP_BATCH_NORM_DISPATCH

}  // namespace lockstep::kernels_internal
#endif  // HWY_ONCE
