// Base class of the strategies that mirror variables over replicas on threads
// of this process, with or without other workers.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORING_STRATEGY_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORING_STRATEGY_H_

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "reference/collectives/cross_device_ops.h"
#include "reference/device/device.h"
#include "reference/distribute/replica_threads.h"
#include "reference/distribute/strategy.h"

namespace lockstep {

// Each local replica has a device and a thread, with an equal share of the
// cores. Its groups and topology determine which replicas it works with.
class MirroringStrategy : public Strategy {
 public:
  // REQUIRES: no Run in progress, no scope open.
  ~MirroringStrategy() override;

  int threads_per_replica() const { return threads_per_replica_; }
  VariablePtr CreateVariable(const VariableOptions& options) override;

 protected:
  // `threads_per_replica` 0: the number of cores divided by that of local
  // replicas, at least 1. Errors: InvalidArgument for a negative number of
  // threads; ResourceExhausted if threads cannot be started.
  MirroringStrategy(ReplicasPtr replicas, int threads_per_replica);

  void RunReplicas(const ReplicaBody& body) override;

 private:
  void RunOne(LocalIndex replica, const ReplicaBody& body);
  void CheckMayRun() const;

  const int threads_per_replica_;
  std::vector<std::unique_ptr<ReplicaContext>> contexts_;
  std::mutex run_mutex_;  // callers take turns
  ReplicaThreads threads_;
};

namespace distribute_internal {

// The named devices, with names in any form. Errors, led by `strategy`:
// NotFound for a device that does not exist; InvalidArgument for an empty list,
// a device named twice, or CPUs and GPUs together.
std::vector<Device*> FindDevices(std::string_view strategy,
                                 const std::vector<std::string>& names);
// All GPUs, else all CPUs.
std::vector<Device*> DefaultDevices();
// The replicas of a strategy that has no other workers, one on each device.
// `cross_device_ops` nullptr: as MakeGroups chooses for the devices.
std::shared_ptr<Replicas> MakeReplicasHere(
    std::vector<Device*> devices,
    std::shared_ptr<const CrossDeviceOps> cross_device_ops = nullptr);
// "CPU:0, CPU:1", for the log.
std::string NamesOf(const std::vector<Device*>& devices);

}  // namespace distribute_internal

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORING_STRATEGY_H_
