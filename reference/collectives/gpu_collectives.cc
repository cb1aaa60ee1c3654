#include "reference/collectives/gpu_collectives.h"

#include <utility>

#include "reference/base/error.h"

namespace lockstep::collectives_internal {
namespace {

GpuCollectives* current = nullptr;

}  // namespace

GpuCollectives* SetGpuCollectives(GpuCollectives* collectives) {
  return std::exchange(current, collectives);
}

GpuCollectives& CurrentGpuCollectives(const char* operation) {
  if (current == nullptr) {
    throw Unimplemented("[{}] has no kernel for GPUs in this program",
                        operation);
  }
  return *current;
}

}  // namespace lockstep::collectives_internal
