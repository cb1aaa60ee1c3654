// shallow.h over a batch, split over the thread team.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_SHALLOW_CONV_POOL_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_SHALLOW_CONV_POOL_H_

#include "reference/kernels/cpu/shallow.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

// y and selection of x; bias may be undefined.
void ShallowConvPool(const ShallowShape& shape, const Tensor& x,
                     const Tensor& filter, const Tensor& bias, Tensor& y,
                     Tensor& selection);

// Writes the gradients of the filter and the bias.
void ShallowConvPoolBackward(const ShallowShape& shape, const Tensor& x,
                             const Tensor& selection, const Tensor& dy,
                             Tensor& dfilter, Tensor& dbias);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_SHALLOW_CONV_POOL_H_
