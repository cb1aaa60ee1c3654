// Gloo's thread spins where another one sends by a connection that it wants to
// read. Where it takes the sender's core, it keeps it for milliseconds. A thread
// of the kernel's batch class has the same share of time, but takes no core from
// a thread that is running.
//
//   {
//     const BatchScheduling batch;
//     StartThread();              // it is, and so are those that it starts
//   }                             // the caller is as before
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_BATCH_SCHEDULING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_BATCH_SCHEDULING_H_

#include <sched.h>

namespace lockstep::collectives_internal {

// Changes nothing for a thread that has been given another class than the usual.
class BatchScheduling {
 public:
  BatchScheduling() : changed_(sched_getscheduler(0) == SCHED_OTHER) {
    if (changed_) Set(SCHED_BATCH);
  }
  ~BatchScheduling() {
    if (changed_) Set(SCHED_OTHER);
  }
  BatchScheduling(const BatchScheduling&) = delete;
  BatchScheduling& operator=(const BatchScheduling&) = delete;

 private:
  // A kernel that refuses leaves the class as it is, which is only slower.
  static void Set(int policy) {
    const sched_param none = {};
    sched_setscheduler(0, policy, &none);
  }

  const bool changed_;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_GLOO_BATCH_SCHEDULING_H_
