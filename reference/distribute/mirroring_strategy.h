// What strategies have in common that mirror variables over replicas on threads
// of this process, whether or not other workers have more of them.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORING_STRATEGY_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORING_STRATEGY_H_

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "reference/device/device.h"
#include "reference/distribute/replica_threads.h"
#include "reference/distribute/strategy.h"

namespace lockstep {

// A replica that is here is a device and a thread of its own, with its share of
// the cores. What its groups and topology say decides with whom it works.
class MirroringStrategy : public Strategy {
 public:
  // REQUIRES: no Run in progress, no scope open.
  ~MirroringStrategy() override;

  int threads_per_replica() const { return threads_per_replica_; }
  VariablePtr CreateVariable(const VariableOptions& options) override;

 protected:
  // `threads_per_replica` 0: the machine's cores divided by the replicas here,
  // at least 1. Errors: InvalidArgument for a negative number of threads,
  // ResourceExhausted when the system gives no more of them.
  MirroringStrategy(ReplicasPtr replicas, int threads_per_replica);

 private:
  void RunReplicas(const ReplicaBody& body) override;
  void RunOne(LocalIndex replica, const ReplicaBody& body);
  void CheckMayRun() const;

  const int threads_per_replica_;
  std::vector<std::unique_ptr<ReplicaContext>> contexts_;
  std::mutex run_mutex_;  // callers take turns
  ReplicaThreads threads_;
};

namespace distribute_internal {

// The named devices, in any form. Errors, led by `strategy`: NotFound for one
// that does not exist; InvalidArgument for an empty list, a device named twice,
// CPUs and GPUs together.
std::vector<Device*> FindDevices(std::string_view strategy,
                                 const std::vector<std::string>& names);
// All GPUs, else all CPUs.
std::vector<Device*> DefaultDevices();

}  // namespace distribute_internal

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORING_STRATEGY_H_
