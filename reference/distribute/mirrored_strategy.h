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
// A replica is a device and a thread of its own, with its share of the cores.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORED_STRATEGY_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORED_STRATEGY_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "reference/collectives/communicator.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/distribute/replica_threads.h"
#include "reference/distribute/strategy.h"

namespace lockstep {

struct MirroredStrategyOptions {
  // 0: the machine's cores divided by the replicas, at least 1.
  int threads_per_replica = 0;
  // nullptr: chosen for the devices, as choose_cross_device_ops.h says.
  std::shared_ptr<const CrossDeviceOps> cross_device_ops = nullptr;
};

class MirroredStrategy final : public Strategy {
 public:
  // All GPUs, else all CPUs. Errors: InvalidArgument for a negative number of
  // threads, ResourceExhausted when the system gives no more of them.
  explicit MirroredStrategy(const MirroredStrategyOptions& options = {});
  // Errors: as above; NotFound for a device that does not exist;
  // InvalidArgument for an empty list, a device named twice, CPUs and GPUs
  // together.
  explicit MirroredStrategy(const std::vector<std::string>& devices,
                            const MirroredStrategyOptions& options = {});
  // REQUIRES: no Run in progress, no scope open.
  ~MirroredStrategy() override;

  int threads_per_replica() const { return threads_per_replica_; }
  VariablePtr CreateVariable(const VariableOptions& options) override;

 private:
  MirroredStrategy(ReplicaGroupPtr group,
                   const MirroredStrategyOptions& options);
  void RunReplicas(const std::function<void(int)>& body) override;
  void RunOne(int replica, const std::function<void(int)>& body);
  void CheckMayRun() const;

  const int threads_per_replica_;
  Communicator communicator_;
  std::vector<std::unique_ptr<ReplicaContext>> contexts_;
  std::mutex run_mutex_;  // callers take turns
  ReplicaThreads threads_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORED_STRATEGY_H_
