// Puts another function in a kernel's place, for tests.
//
//   const KernelScope scope(gpu::Relu, &MyRelu);   // until it dies
#ifndef LOCKSTEP_REFERENCE_DEVICE_KERNEL_SCOPE_H_
#define LOCKSTEP_REFERENCE_DEVICE_KERNEL_SCOPE_H_

#include "reference/device/device_kernel.h"

namespace lockstep {

// What was there before comes back.
template <typename Signature>
class KernelScope {
 public:
  using Function = typename DeviceKernel<Signature>::Function;

  KernelScope(DeviceKernel<Signature>& kernel, Function function)
      : kernel_(kernel), previous_(kernel.Set(function)) {}
  ~KernelScope() { kernel_.Set(previous_); }
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;

 private:
  DeviceKernel<Signature>& kernel_;
  const Function previous_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_KERNEL_SCOPE_H_
