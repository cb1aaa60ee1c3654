// How a kernel's public function reaches its GPU version.
//
//   // unary.h, below the declaration of Tensor Relu(const Tensor& x):
//   namespace gpu {
//   inline constinit DeviceKernel<Tensor(const Tensor&)> Relu{"Relu"};
//   }
//
//   // unary.cc, after the checks of the arguments:
//   if (OnGpu("Relu", x)) return gpu::Relu(x);
//
// A GPU version gets arguments that the public function has checked, all on one
// GPU, and gives its results on that GPU.
#ifndef LOCKSTEP_REFERENCE_KERNELS_DEVICE_KERNEL_H_
#define LOCKSTEP_REFERENCE_KERNELS_DEVICE_KERNEL_H_

#include <string_view>

#include "reference/device/device_kernel.h"
#include "reference/tensor/tensor.h"

namespace lockstep::kernels {

namespace device_kernel_internal {
[[noreturn]] void FailMixedDevices(std::string_view operation,
                                   const Device& first, const Device& other);
}  // namespace device_kernel_internal

// The first tensor lies on a GPU, and so do the others, on the same one; false
// when all lie with the host. An undefined one among the others lies anywhere.
// Errors: InvalidArgument for tensors of different GPUs, or of a GPU and the
// host. REQUIRES: first is defined.
template <typename... Others>
bool OnGpu(std::string_view operation, const Tensor& first,
           const Others&... others) {
  const Device& device = first.device();
  [[maybe_unused]] const auto check = [&](const Tensor& other) {
    if (!other.defined() || &other.device() == &device) return;
    if (device.on_host() && other.device().on_host()) return;
    device_kernel_internal::FailMixedDevices(operation, device, other.device());
  };
  (check(others), ...);
  return !device.on_host();
}

}  // namespace lockstep::kernels

#endif  // LOCKSTEP_REFERENCE_KERNELS_DEVICE_KERNEL_H_
