#include "reference/device/device_kernel.h"

#include "reference/base/error.h"

namespace lockstep::device_internal {

void FailNoKernel(std::string_view operation) {
  throw Unimplemented("[{}] has no kernel for GPUs in this program", operation);
}

}  // namespace lockstep::device_internal
