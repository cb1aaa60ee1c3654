// One step of a maximum that remembers who won. Include inside foreach_target.
#if defined(LOCKSTEP_REFERENCE_KERNELS_CPU_MAX_CHALLENGE_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HWY_TARGET_TOGGLE
#undef LOCKSTEP_REFERENCE_KERNELS_CPU_MAX_CHALLENGE_INL_H_
#else
#define LOCKSTEP_REFERENCE_KERNELS_CPU_MAX_CHALLENGE_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The larger of the best value so far and a challenger, and its number. Of
// equals the earlier stays; a first NaN wins, and nothing wins over it.
template <class V, class I>
HWY_INLINE void Challenge(V value, I number, V& best, I& winner) {
  const hn::DFromV<I> di;
  const auto wins = hn::And(hn::Not(hn::Le(value, best)), hn::Eq(best, best));
  best = hn::IfThenElse(wins, value, best);
  winner = hn::IfThenElse(hn::RebindMask(di, wins), number, winner);
}

// ReLU on a window's maximum; where it cuts, the winner becomes `cut`. A NaN
// stays, but passes no gradient.
template <class V, class I>
HWY_INLINE void CutWindow(I cut, V& best, I& winner) {
  const hn::DFromV<V> d;
  const hn::DFromV<I> di;
  const auto passes = hn::Gt(best, hn::Zero(d));
  best = hn::IfThenElse(hn::Le(best, hn::Zero(d)), hn::Zero(d), best);
  winner = hn::IfThenElse(hn::RebindMask(di, passes), winner, cut);
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_MAX_CHALLENGE_INL_H_
