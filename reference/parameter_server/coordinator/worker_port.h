// What a closure queue sends to a worker.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_PORT_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_PORT_H_

#include <cstdint>

#include "reference/parameter_server/coordinator/closure.h"

namespace lockstep::coordinator_internal {

// What a worker has to know beside the closure.
struct StartNotes {
  uint64_t finished_below = 0;  // all closures below it are finished
  // The number of failures before. A worker that runs a closure with an error
  // returns all others of the same epoch or older.
  uint64_t epoch = 0;
};

// Called with the queue's lock held: no function may wait, or call the queue.
// The worker receives everything in the order of the calls. Calls to a worker
// that is lost, of which the queue does not know yet, do nothing.
class WorkerPort {
 public:
  virtual ~WorkerPort() = default;

  // Runs the closure after those that were started before. The worker answers
  // with ClosureQueue::Finished, or, if it must not begin, with Returned.
  virtual void Start(const ClosurePtr& closure, const StartNotes& notes) = 0;
  // Makes a value before closures that are started later.
  virtual void Make(const Resource& resource) = 0;
  // Closures of older epochs that have not begun must not begin.
  virtual void Recall(uint64_t epoch) = 0;
};

}  // namespace lockstep::coordinator_internal

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_WORKER_PORT_H_
