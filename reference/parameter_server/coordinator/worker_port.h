// What a closure queue sends to a worker.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_PORT_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_PORT_H_

#include <cstdint>

#include "reference/parameter_server/coordinator/closure.h"

namespace lockstep::coordinator_internal {

// Called with the queue's lock held: no function may wait, or call the queue.
// The worker receives everything in the order of the calls. Calls to a worker
// that is lost, of which the queue does not know yet, do nothing.
class WorkerPort {
 public:
  virtual ~WorkerPort() = default;

  // Runs the closure after those that were started before. The worker answers
  // with ClosureQueue::Finished, or, if it must not begin, with Returned.
  // `epoch` is the number of failures before: a worker where a closure fails
  // returns all others of the same epoch.
  virtual void Start(const ClosurePtr& closure, uint64_t epoch) = 0;
  // Makes a value before closures that are started later.
  virtual void Make(const Resource& resource) = 0;
  // Closures of older epochs that have not begun must not begin.
  virtual void Recall(uint64_t epoch) = 0;
};

}  // namespace lockstep::coordinator_internal

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_PORT_H_
