// target = target + delta, or target - delta, for any numeric type.
//
//   UpdateInPlace("AssignAdd", sum, part, std::plus<>());
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_UPDATE_IN_PLACE_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_UPDATE_IN_PLACE_H_

#include <functional>
#include <string_view>
#include <type_traits>

#include "reference/base/error.h"
#include "reference/kernels/elementwise/in_place.h"
#include "reference/tensor/tensor.h"

namespace lockstep::autodiff_internal {

// Updates `target` in its memory; on a GPU, only queues the update. `delta` may
// be on another device. REQUIRES: both have the same dtype and shape; no other
// tensor shares the memory of `target`; Operation is std::plus<> or
// std::minus<>. Errors: InvalidArgument, led by `caller`, for bool and string.
template <typename Operation>
void UpdateInPlace(std::string_view caller, Tensor& target, const Tensor& delta,
                   const Operation&) {
  if (target.dtype() == DType::kBool || target.dtype() == DType::kString) {
    throw InvalidArgument("[{}] {} values cannot be added", caller,
                          DTypeName(target.dtype()));
  }
  const bool on_hosts = target.on_host() && delta.on_host();
  const Tensor& here = on_hosts ? delta : delta.To(target.device());
  if constexpr (std::is_same_v<Operation, std::plus<>>) {
    kernels::AddInPlace(target, here);
  } else {
    static_assert(std::is_same_v<Operation, std::minus<>>);
    kernels::SubtractInPlace(target, here);
  }
}

}  // namespace lockstep::autodiff_internal

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_UPDATE_IN_PLACE_H_
