// Synchronous training on several devices of one machine: every replica holds
// the same variables and applies the same updates.
//
//   SetLogicalCpuDevices(2);
//   MirroredStrategy all;                            // all GPUs, else all CPUs
//   MirroredStrategy two({"CPU:0", "CPU:1"});
//   MirroredStrategyOptions options;
//   options.cross_device_ops = std::make_shared<ReductionToOneDevice>();
//   MirroredStrategy other(options);
//
// Each replica has a device and a thread, with an equal share of the cores.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORED_STRATEGY_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORED_STRATEGY_H_

#include <memory>
#include <string>
#include <vector>

#include "reference/collectives/cross_device_ops.h"
#include "reference/device/device.h"
#include "reference/distribute/mirroring_strategy.h"

namespace lockstep {

struct MirroredStrategyOptions {
  // 0: the number of cores divided by that of replicas, at least 1.
  int threads_per_replica = 0;
  // nullptr: as MakeGroups chooses for the devices.
  std::shared_ptr<const CrossDeviceOps> cross_device_ops = nullptr;
};

class MirroredStrategy final : public MirroringStrategy {
 public:
  // All GPUs, else all CPUs. Errors: InvalidArgument for a negative number of
  // threads; ResourceExhausted if threads cannot be started.
  explicit MirroredStrategy(const MirroredStrategyOptions& options = {});
  // Errors: as above; NotFound for a device that does not exist;
  // InvalidArgument for an empty list, a device named twice, CPUs and GPUs
  // together.
  explicit MirroredStrategy(const std::vector<std::string>& devices,
                            const MirroredStrategyOptions& options = {});

 private:
  MirroredStrategy(std::vector<Device*> devices,
                   const MirroredStrategyOptions& options);
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORED_STRATEGY_H_
