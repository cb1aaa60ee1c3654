// Exponential functions of float and double vectors: Highway's, extended so
// that numbers that are not finite are handled as in C. Include inside
// foreach_target.
//
//   ExpOf(d, Set(d, 0));        // exactly 1
//   ExpOf(d, Set(d, 1000));     // infinity
//   LogOf(d, Set(d, 1));        // exactly 0
//   LogOf(d, Set(d, -1));       // NaN
//
// hn::Tanh needs no extension. Errors are at most 1.1 units of the last place
// for ExpOf and LogOf, 2.5 for SigmoidOf and 3.2 for hn::Tanh (unary_test). A
// lane's result depends on its value and on whether the processor fuses
// multiply and add, not on the other lanes.
#if defined(LOCKSTEP_REFERENCE_KERNELS_CPU_EXPONENTIAL_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HWY_TARGET_TOGGLE
#undef LOCKSTEP_REFERENCE_KERNELS_CPU_EXPONENTIAL_INL_H_
#else
#define LOCKSTEP_REFERENCE_KERNELS_CPU_EXPONENTIAL_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
constexpr hn::TFromD<D> Infinite() {
  return std::numeric_limits<hn::TFromD<D>>::infinity();
}

template <class D, class V>
HWY_INLINE V ExpOf(D d, V x) {
  // exp is infinite below this already; far above it, Highway's result wraps
  // around.
  const auto limit = hn::Set(d, sizeof(hn::TFromD<D>) == 4 ? 100 : 800);
  const auto y = hn::Exp(d, hn::Min(x, limit));
  return hn::IfThenElse(hn::Eq(x, x), y, x);
}

template <class D, class V>
HWY_INLINE V LogOf(D d, V x) {
  const auto infinity = hn::Set(d, Infinite<D>());
  const auto zero = hn::Zero(d);
  const auto y =
      hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), hn::Log(d, x));
  // Infinity and NaN are their own logarithms; negative numbers have none.
  const auto has_one = hn::And(hn::Ge(x, zero), hn::Lt(x, infinity));
  const auto other = hn::IfThenElse(
      hn::Lt(x, zero),
      hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN()), x);
  return hn::IfThenElse(has_one, y, other);
}

// exp of negative numbers only, so that infinity is never divided by infinity.
template <class D, class V>
HWY_INLINE V SigmoidOf(D d, V x) {
  const auto one = hn::Set(d, 1);
  const auto e = ExpOf(d, hn::Neg(hn::Abs(x)));
  const auto top = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one);
  return hn::Div(top, hn::Add(one, e));
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_EXPONENTIAL_INL_H_
