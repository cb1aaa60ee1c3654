// Convolutions of tensors on one GPU by cuDNN; conv2d.h has the contract.
//
// Filters are turned from HWIO into cuDNN's [O, H, W, I] for each call, and
// their gradients back: cuDNN has no engine for HWIO, and a filter is small
// beside what it is applied to. Where cuDNN's arithmetic differs from the CPU
// kernel's it does so in the order of additions; it is the same in every run
// unless autotuning chooses (gpu_math.h).
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_CONVOLUTION_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_CONVOLUTION_H_

#include "reference/kernels/conv2d.h"
#include "reference/kernels/cpu/convolution_shape.h"
#include "reference/tensor/tensor.h"

namespace lockstep::cuda {

// Errors of both: Unimplemented where cuDNN has no engine; ResourceExhausted;
// Internal. REQUIRES: `shape` is that of the tensors, all on one GPU; `bias`
// may be undefined.
Tensor Convolve(const Tensor& x, const Tensor& filter, const Tensor& bias,
                const kernels_internal::ConvolutionShape& shape, bool relu,
                bool allow_winograd);

// `dy` is the gradient of the convolution itself, behind any ReLU's mask.
kernels::Conv2DGradients ConvolveBackward(
    const Tensor& x, const Tensor& filter, const Tensor& dy,
    const kernels_internal::ConvolutionShape& shape, bool need_x);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_CONVOLUTION_H_
