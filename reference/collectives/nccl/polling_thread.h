// A thread that looks at something from time to time while there is need to.
//
//   PollingThread watch(10ms, [&] { return MoreToWatch(); });
//   watch.Wake();       // polls at once, and on until it gives false
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_POLLING_THREAD_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_POLLING_THREAD_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "reference/base/thread_group.h"

namespace lockstep {

class PollingThread {
 public:
  // `poll` must not throw; it runs on this object's thread alone. The
  // destructor waits for a poll that is under way.
  // Errors: ResourceExhausted when the system gives no thread.
  PollingThread(std::chrono::milliseconds interval, std::function<bool()> poll);
  PollingThread(const PollingThread&) = delete;
  PollingThread& operator=(const PollingThread&) = delete;

  void Wake();

 private:
  void Run();
  void Stop();

  const std::chrono::milliseconds interval_;
  const std::function<bool()> poll_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool awake_ = false;
  bool stop_ = false;
  ThreadGroup thread_;  // last: it uses all of the above
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_POLLING_THREAD_H_
