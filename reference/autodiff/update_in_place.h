// target[i] = operation(target[i], delta[i]) for any numeric type.
//
//   UpdateInPlace("AssignAdd", sum, part, std::plus<>());
#ifndef LOCKSTEP_REFERENCE_AUTODIFF_UPDATE_IN_PLACE_H_
#define LOCKSTEP_REFERENCE_AUTODIFF_UPDATE_IN_PLACE_H_

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "reference/base/error.h"
#include "reference/tensor/change_on_host.h"
#include "reference/tensor/tensor.h"

namespace lockstep::autodiff_internal {

// REQUIRES: both have the same dtype and shape; nobody else reads `target`.
// Errors: InvalidArgument, led by `caller`, for bool and string.
template <typename Operation>
void UpdateInPlace(std::string_view caller, Tensor& target, const Tensor& delta,
                   const Operation& operation) {
  VisitDType(target.dtype(), [&]<typename T>() {
    if constexpr (kIsNumber<T> && !std::is_same_v<T, bool>) {
      const Tensor other = delta.ToHost();
      ChangeOnHost(target, [&](Tensor& changed) {
        T* out = changed.mutable_data<T>();
        const T* in = other.data<T>();
        const int64_t count = changed.num_elements();
        for (int64_t i = 0; i < count; ++i) out[i] = operation(out[i], in[i]);
      });
    } else {
      throw InvalidArgument("[{}] {} values cannot be added", caller,
                            DTypeName(target.dtype()));
    }
  });
}

}  // namespace lockstep::autodiff_internal

#endif  // LOCKSTEP_REFERENCE_AUTODIFF_UPDATE_IN_PLACE_H_
