// What collectives need from the GPU backend: sums on GPUs, and NCCL.
//
//   CurrentGpuCollectives("AllReduce").Sum(sum);   // queued, not waited for
//
// The backend registers itself while the program starts, as
// device/gpu_backend.h says.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GPU_COLLECTIVES_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GPU_COLLECTIVES_H_

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "reference/collectives/nccl/nccl_api.h"
#include "reference/collectives/sum_kernel.h"
#include "reference/device/device.h"

namespace lockstep {

class ControlPlane;
class Group;
class Rendezvous;

namespace collectives_internal {

class GpuSums;

// Sums that one GPU computes.
struct GpuSum {
  // All pieces have the same number of inputs and outputs. Input i is on
  // from[i], output i on to[i].
  std::vector<SumArguments> pieces;
  std::vector<Device*> from;
  std::vector<Device*> to;
  Device* on = nullptr;  // does the work
  DeviceStream stream = DeviceStream::kCompute;
};

class GpuCollectives {
 public:
  virtual ~GpuCollectives() = default;

  // Queues the sums on the stream of `on`, between the work that the same
  // stream of every named device has and the work that it gets later; no thread
  // waits. Adds in the order of SumInto, so the bits are the same. Errors:
  // ResourceExhausted; Internal.
  virtual void Sum(const GpuSum& sum) = 0;
  // The machine's number of the GPU that a logical device is on.
  virtual int PhysicalGpu(const Device& device) = 0;
  // Empty without NCCL.
  virtual std::optional<NcclFeatures> Nccl() = 0;
  // A group for each rank that reduces by NCCL, rank r on devices[r]. Errors:
  // InvalidArgument if NCCL does not accept the devices; Unimplemented without
  // NCCL; Unavailable, DeadlineExceeded and Internal if it cannot connect them.
  virtual std::vector<std::unique_ptr<Group>> MakeNccl(
      const std::vector<Device*>& devices,
      const std::shared_ptr<Rendezvous>& rendezvous) = 0;
  // The same between workers, each with `device` as its rank. All call it
  // together, and connect within the limit. Errors also: those of the control
  // plane.
  virtual std::shared_ptr<GpuSums> MakeNcclBetween(
      ControlPlane& control, Device& device,
      std::chrono::milliseconds connect_limit) = 0;
};

// Returns the previous one; nullptr: none. REQUIRES: `collectives` lives until
// the process ends or another one is set.
GpuCollectives* SetGpuCollectives(GpuCollectives* collectives);
// Errors: Unimplemented, naming `operation`, if none is set.
GpuCollectives& CurrentGpuCollectives(const char* operation);

}  // namespace collectives_internal
}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GPU_COLLECTIVES_H_
