// What the kernels that update variables ask of each of a list.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CHECK_UPDATE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CHECK_UPDATE_H_

#include <initializer_list>
#include <string_view>

#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

// Errors: InvalidArgument unless `variable` is float32 or float64, of the type
// and on the device of the list's `first`, and `others`, its gradient and
// state, are like it and there too; nullptr among them is none.
void CheckUpdate(std::string_view operation, const Tensor& first,
                 const Tensor& variable,
                 std::initializer_list<const Tensor*> others);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CHECK_UPDATE_H_
