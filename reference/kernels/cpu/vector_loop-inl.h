// Runs a body over arrays, one vector at a time. Include inside foreach_target.
//
//   VectorLoop<float>(n, [&](auto d, size_t i) HWY_ATTR {
//     hn::StoreU(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, y + i);
//   });
//
// Elements of bfloat16 are computed as floats: VectorLoop<ComputeType<T>>, with
// LoadFloats and StoreFloats. The tail uses vectors of one lane, so that
// rounding does not depend on an element's position.
#if defined(LOCKSTEP_REFERENCE_KERNELS_CPU_VECTOR_LOOP_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef HWY_TARGET_TOGGLE
#undef LOCKSTEP_REFERENCE_KERNELS_CPU_VECTOR_LOOP_INL_H_
#else
#define LOCKSTEP_REFERENCE_KERNELS_CPU_VECTOR_LOOP_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "reference/tensor/float_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels_internal::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using tensor_internal::HWY_NAMESPACE::LoadFloats;
using tensor_internal::HWY_NAMESPACE::StoreFloats;

template <typename T, class Body>
HWY_INLINE void VectorLoop(size_t count, const Body& body) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) body(d, i);
  const hn::CappedTag<T, 1> d1;
  for (; i < count; ++i) body(d1, i);
}

}  // namespace lockstep::kernels_internal::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_VECTOR_LOOP_INL_H_
