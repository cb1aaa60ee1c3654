// Comparisons for a maximum with its index. Include inside foreach_target.
#if defined(LOCKSTEP_REFERENCE_KERNELS_CPU_MAX_CHALLENGE_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HWY_TARGET_TOGGLE
#undef LOCKSTEP_REFERENCE_KERNELS_CPU_MAX_CHALLENGE_INL_H_
#else
#define LOCKSTEP_REFERENCE_KERNELS_CPU_MAX_CHALLENGE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "reference/kernels/windows.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The larger of the best value so far and a challenger, and its index. The
// earlier of equal values stays; the first NaN wins and stays.
template <class V, class I>
HWY_INLINE void Challenge(V value, I number, V& best, I& winner) {
  const hn::DFromV<I> di;
  const auto wins = hn::AndNot(hn::Le(value, best), hn::Eq(best, best));
  best = hn::IfThenElse(wins, value, best);
  winner = hn::IfThenElse(hn::RebindMask(di, wins), number, winner);
}

// The maximum of a window of four and its index, in two rounds.
template <class V, class I>
HWY_INLINE void PoolFour(const V (&values)[4], V& best, I& winner) {
  const hn::DFromV<I> di;
  best = values[0];
  winner = hn::Zero(di);
  Challenge(values[1], hn::Set(di, 1), best, winner);
  V second = values[2];
  I second_winner = hn::Set(di, 2);
  Challenge(values[3], hn::Set(di, 3), second, second_winner);
  Challenge(second, second_winner, best, winner);
}

// ReLU on a window's maximum. If the maximum is not positive, the winner
// becomes kReluCut. A NaN stays, but passes no gradient.
template <class V, class I>
HWY_INLINE void CutWindow(V& best, I& winner) {
  const hn::DFromV<V> d;
  const hn::DFromV<I> di;
  const I cut = hn::Set(di, kernels::kReluCut);
  const auto passes = hn::RebindMask(di, hn::Gt(best, hn::Zero(d)));
  winner = hn::IfThenElse(passes, winner, cut);
  best = hn::IfThenElse(hn::Le(best, hn::Zero(d)), hn::Zero(d), best);
}

template <class I>
HWY_INLINE void StoreWinner(I winner, uint8_t* to) {
  const hn::Rebind<uint8_t, hn::DFromV<I>> d8;
  const hn::RebindToUnsigned<hn::DFromV<I>> du;
  hn::StoreU(hn::U8FromU32(hn::BitCast(du, winner)), d8, to);
}

template <class I>
HWY_INLINE void StoreWinner(I winner, int32_t* to) {
  hn::StoreU(winner, hn::DFromV<I>(), to);
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_MAX_CHALLENGE_INL_H_
