#include "reference/kernels/device_kernel.h"

#include "reference/base/error.h"

namespace lockstep::kernels::device_kernel_internal {

void FailMixedDevices(std::string_view operation, const Device& first,
                      const Device& other) {
  throw InvalidArgument("[{}] tensors must be on one device, got {} and {}",
                        operation, first.name(), other.name());
}

}  // namespace lockstep::kernels::device_kernel_internal
