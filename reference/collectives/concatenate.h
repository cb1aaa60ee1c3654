// Joins tensors along an axis: what a gather gives.
//
//   Concatenate({[[1, 2]], [[3, 4], [5, 6]]}, 0);   // [[1, 2], [3, 4], [5, 6]]
//   Concatenate({[[1, 2], [3, 4]], [[5], [6]]}, 1);  // [[1, 2, 5], [3, 4, 6]]
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_CONCATENATE_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_CONCATENATE_H_

#include <vector>

#include "reference/device/device.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// A new tensor on `device`, parts in order; parts may be empty along the axis.
// A negative axis counts from the end. Errors: InvalidArgument for scalars,
// an axis out of range, no parts, or parts that differ elsewhere than in the
// axis.
Tensor Concatenate(const std::vector<Tensor>& parts, int axis,
                   Device& device = Device::Current());

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_CONCATENATE_H_
