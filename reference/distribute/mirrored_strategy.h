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

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "reference/base/threads.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/device/device.h"
#include "reference/distribute/strategy.h"

namespace lockstep {

// One thread a replica, for as long as the strategy lives.
//
//   ReplicaThreads threads({&cpu0, &cpu1}, /*threads_per_replica=*/1);
//   threads.Run([](int replica) { ... });   // on both at once; waits for both
//
// A replica's function always runs on the replica's own thread, whose current
// device and thread team are the replica's, and which flushes denormal numbers.
class ReplicaThreads {
 public:
  // Errors: ResourceExhausted when the system gives no more threads.
  // REQUIRES: at least one device and one thread a replica.
  ReplicaThreads(std::vector<Device*> devices, int threads_per_replica);
  ReplicaThreads(const ReplicaThreads&) = delete;
  ReplicaThreads& operator=(const ReplicaThreads&) = delete;

  // What each replica's body threw, empty where nothing.
  // REQUIRES: one caller at a time.
  std::vector<std::exception_ptr> Run(
      const std::function<void(int replica)>& body);

  // The calling thread belongs to some ReplicaThreads.
  static bool OnReplicaThread();

 private:
  void Live(int replica);
  void Loop(int replica);
  void Done();
  void WaitForAll();
  void Stop();

  const std::vector<Device*> devices_;
  const int threads_per_replica_;
  const int spins_;
  alignas(64) std::atomic<uint32_t> generation_{0};  // counts runs
  alignas(64) std::atomic<int32_t> pending_;         // replicas still running
  std::atomic<bool> stop_{false};
  const std::function<void(int)>* body_ = nullptr;
  std::vector<std::exception_ptr> errors_;  // one a replica
  ThreadGroup threads_;                     // last: it uses all of the above
};

struct MirroredStrategyOptions {
  // 0: the machine's cores divided by the replicas, at least 1.
  int threads_per_replica = 0;
  // nullptr: chosen for the devices, as MakeGroups does.
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
  MirroredStrategy(ReplicasPtr replicas,
                   const MirroredStrategyOptions& options);
  void RunReplicas(const ReplicaBody& body) override;
  void RunOne(LocalIndex replica, const ReplicaBody& body);
  void CheckMayRun() const;

  const int threads_per_replica_;
  std::vector<std::unique_ptr<ReplicaContext>> contexts_;
  std::mutex run_mutex_;  // callers take turns
  ReplicaThreads threads_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_MIRRORED_STRATEGY_H_
