// The fused Conv2D + ReLU + MaxPool2D through Winograd's algorithm, see
// winograd.h: 3 x 3 filters with stride 1, windows of 2 x 2 with stride 2.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_WINOGRAD_CONV_POOL_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_WINOGRAD_CONV_POOL_H_

#include <cstdint>

#include "reference/kernels/cpu/winograd.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels_internal {

// y and selection [images, rows, columns, outputs] of x; bias may be undefined.
void WinogradConvPool(const WinogradTiles& tiles, const Tensor& x,
                      const Tensor& filter, const Tensor& bias, Tensor& y,
                      Tensor& selection);

// Writes the gradients; dx is skipped where undefined.
void WinogradConvPoolBackward(const WinogradTiles& tiles, const Tensor& x,
                              const Tensor& filter, const Tensor& selection,
                              const Tensor& dy, Tensor& dx, Tensor& dfilter,
                              Tensor& dbias);

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_WINOGRAD_CONV_POOL_H_
