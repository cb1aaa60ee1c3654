// What collectives ask the GPU backend, where a program has one. It registers
// itself while the program starts, as device/gpu_backend.h says.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GPU_COLLECTIVES_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GPU_COLLECTIVES_H_

#include <memory>
#include <optional>
#include <vector>

#include "reference/collectives/nccl/rank_placement.h"
#include "reference/collectives/sum_kernel.h"
#include "reference/device/device.h"

namespace lockstep {

class CrossDeviceOps;

namespace collectives_internal {

// Sums that one GPU adds up.
struct GpuSum {
  // Pieces of one number of inputs and outputs. The pointers are of the devices
  // below, in their order.
  std::vector<SumArguments> pieces;
  std::vector<Device*> from;
  std::vector<Device*> to;
  Device* on = nullptr;  // does the work
  DeviceQueue queue = DeviceQueue::kCompute;
};

class GpuCollectives {
 public:
  virtual ~GpuCollectives() = default;

  // Gives the sums to the queue of `on`: after what the same queue of every
  // device named was given by now, and before what it will be; nobody waits. The
  // order of additions is that of SumInto, whose bits these are.
  // Errors: ResourceExhausted; Internal.
  virtual void Sum(const GpuSum& sum) = 0;
  // The number of the machine's GPU that a logical one is on.
  virtual int PhysicalGpu(const Device& device) = 0;
  // Empty where there is no NCCL.
  virtual std::optional<NcclFeatures> Nccl() = 0;
  // An all-reduce among these GPUs by NCCL, rank r on devices[r]. Errors:
  // InvalidArgument where NCCL does not take them; Unimplemented without NCCL;
  // Unavailable, DeadlineExceeded and Internal when it cannot connect them.
  virtual std::shared_ptr<const CrossDeviceOps> MakeNccl(
      const std::vector<Device*>& devices) = 0;
};

// nullptr: none. Gives back the one before. REQUIRES: it lives as long as the
// process, or until another one is set.
GpuCollectives* SetGpuCollectives(GpuCollectives* collectives);
// Errors: Unimplemented, naming `operation`, where there is none.
GpuCollectives& CurrentGpuCollectives(const char* operation);

}  // namespace collectives_internal
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GPU_COLLECTIVES_H_
