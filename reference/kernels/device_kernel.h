// How a kernel's public function calls its GPU version.
//
//   // unary.h, below the declaration of Tensor Relu(const Tensor& x):
//   namespace gpu {
//   inline constinit DeviceKernel<Tensor(const Tensor&)> Relu{"Relu"};
//   }
//
//   // unary.cc, after the checks of the arguments:
//   if (OnGpu("Relu", x)) return gpu::Relu(x);
//
// A GPU version gets checked arguments, all on one GPU, and returns its results
// on that GPU.
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

// Returns true if all tensors are on one GPU, false if all are on the host.
// Ignores undefined tensors. Errors: InvalidArgument for tensors on different
// GPUs, or on a GPU and the host. REQUIRES: first is defined.
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
