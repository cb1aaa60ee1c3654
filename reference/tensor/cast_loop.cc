#include "reference/tensor/cast_loop.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/tensor/cast_loop.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "reference/tensor/float_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::tensor_internal::HWY_NAMESPACE {

template <typename From, typename To>
HWY_INLINE void Convert(const From* from, To* to, int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    StoreFloats(LoadFloats(d, from + i), d, to + i);
  }
  for (; i < count; ++i) to[i] = static_cast<To>(from[i]);
}

void Narrow(const float* from, BFloat16* to, int64_t count) {
  Convert(from, to, count);
}

void Widen(const BFloat16* from, float* to, int64_t count) {
  Convert(from, to, count);
}

}  // namespace lockstep::tensor_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep {
namespace tensor_internal {

HWY_EXPORT(Narrow);
HWY_EXPORT(Widen);

void CallNarrow(const float* from, BFloat16* to, int64_t count) {
  HWY_DYNAMIC_DISPATCH(Narrow)(from, to, count);
}

void CallWiden(const BFloat16* from, float* to, int64_t count) {
  HWY_DYNAMIC_DISPATCH(Widen)(from, to, count);
}

}  // namespace tensor_internal

void CastLoop(const float* from, BFloat16* to, int64_t count) {
  tensor_internal::CallNarrow(from, to, count);
}

void CastLoop(const BFloat16* from, float* to, int64_t count) {
  tensor_internal::CallWiden(from, to, count);
}

}  // namespace lockstep
#endif  // HWY_ONCE
