// Cuts a tensor into pieces along an axis; undoes Concat.
//
//   Split([[1, 3], [2, 4]], {1, 1}, 1)   // {[[1], [2]], [[3], [4]]}
#ifndef LOCKSTEP_REFERENCE_KERNELS_SPLIT_H_
#define LOCKSTEP_REFERENCE_KERNELS_SPLIT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "reference/kernels/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

// Pieces are copies except along axis 0, where they are views.
// Errors: InvalidArgument for an axis out of range or sizes that do not add up.
std::vector<Tensor> Split(const Tensor& tensor, std::span<const int64_t> sizes,
                          int axis);

// The GPU version of cutting out one piece (axis, begin, size) that is no view;
// see device_kernel.h.
namespace gpu {
inline constinit DeviceKernel<Tensor(const Tensor&, int, int64_t, int64_t)>
    SplitPiece{"SplitPiece"};
}  // namespace gpu

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_SPLIT_H_
