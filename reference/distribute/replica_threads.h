// The threads that the replicas of a process run on.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_REPLICA_THREADS_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_REPLICA_THREADS_H_

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "reference/base/threads.h"
#include "reference/device/device.h"

namespace lockstep {

// One thread per replica, for the lifetime of the strategy.
//
//   ReplicaThreads threads({&cpu0, &cpu1}, /*threads_per_replica=*/1);
//   threads.Run([](int replica) { ... });   // on both at once; waits for both
//
// A replica's function always runs on the thread of the replica, with the
// replica's device and thread team as current ones. The thread flushes denormal
// numbers.
class ReplicaThreads {
 public:
  // Errors: ResourceExhausted if threads cannot be started. REQUIRES: at least
  // one device and one thread per replica.
  ReplicaThreads(std::vector<Device*> devices, int threads_per_replica);
  ReplicaThreads(const ReplicaThreads&) = delete;
  ReplicaThreads& operator=(const ReplicaThreads&) = delete;

  // What each replica's body threw, nullptr for nothing.
  // REQUIRES: one caller at a time.
  std::vector<std::exception_ptr> Run(
      const std::function<void(int replica)>& body);

  // Whether the calling thread belongs to any ReplicaThreads.
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
  std::vector<std::exception_ptr> errors_;  // one per replica
  ThreadGroup threads_;                     // last: it uses all members above
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_REPLICA_THREADS_H_
