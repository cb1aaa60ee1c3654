// One thread a replica, for as long as the strategy lives.
//
//   ReplicaThreads threads({&cpu0, &cpu1}, /*threads_per_replica=*/1);
//   threads.Run([](int replica) { ... });     // on both at once; waits for both
//
// A replica's function always runs on the replica's own thread, whose current
// device and thread team are the replica's.
#ifndef LOCKSTEP_REFERENCE_DISTRIBUTE_REPLICA_THREADS_H_
#define LOCKSTEP_REFERENCE_DISTRIBUTE_REPLICA_THREADS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "reference/device/device.h"

namespace lockstep {

class ReplicaThreads {
 public:
  // REQUIRES: at least one device and one thread a replica.
  ReplicaThreads(std::vector<Device*> devices, int threads_per_replica);
  ~ReplicaThreads();
  ReplicaThreads(const ReplicaThreads&) = delete;
  ReplicaThreads& operator=(const ReplicaThreads&) = delete;

  // REQUIRES: one caller at a time, and `body` does not throw.
  void Run(const std::function<void(int replica)>& body);

  // The calling thread belongs to some ReplicaThreads.
  static bool OnReplicaThread();

 private:
  void Loop(int replica);

  const std::vector<Device*> devices_;
  const int threads_per_replica_;
  const int spins_;
  alignas(64) std::atomic<uint32_t> generation_{0};  // counts runs
  alignas(64) std::atomic<int32_t> pending_{0};      // replicas still running
  std::atomic<bool> stop_{false};
  const std::function<void(int)>* body_ = nullptr;
  std::vector<std::thread> threads_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DISTRIBUTE_REPLICA_THREADS_H_
