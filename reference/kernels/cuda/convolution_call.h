// A convolution's run in cuDNN as a call to be timed alone.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_CONVOLUTION_CALL_H_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_CONVOLUTION_CALL_H_

#include <memory>

#include "reference/device/device.h"
#include "reference/kernels/cuda/convolution_plan.h"
#include "reference/kernels/library_calls.h"

namespace lockstep::cuda {

// Without what a kernel of our own does behind it.
LibraryCall ConvolutionCall(Device& device,
                            std::shared_ptr<const ConvolutionPlan> plan);

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_CONVOLUTION_CALL_H_
