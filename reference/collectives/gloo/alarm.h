// Calls a function when a deadline passes; one deadline at a time.
//
//   Alarm alarm([&](int rank) { GiveUp(...); });
//   alarm.Set(deadline, rank);
//   ... waits for the rank ...
//   alarm.Clear();      // a call may still be running
//
// Calls the function once if the deadline passes before Clear, on a thread that
// starts with the first deadline. Set is cheap.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_ALARM_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_ALARM_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "reference/base/deadline.h"
#include "reference/base/threads.h"

namespace lockstep::collectives_internal {

class Alarm {
 public:
  // REQUIRES: `ring` does not throw.
  explicit Alarm(std::function<void(int rank)> ring) : ring_(std::move(ring)) {}

  // REQUIRES: no deadline is set; one thread at a time calls it. Errors:
  // ResourceExhausted if no thread can be started.
  void Set(Deadline deadline, int rank);
  void Clear();

 private:
  void Loop();
  void Stop();

  const std::function<void(int)> ring_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Deadline deadline_ = kNoDeadline;
  Deadline sleeps_until_ = kNoDeadline;
  int rank_ = 0;
  bool stopping_ = false;
  std::unique_ptr<ThreadGroup> thread_;  // last: it uses the rest
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_ALARM_H_
