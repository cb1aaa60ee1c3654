// The messages between a worker and the state of its job.
//
// A worker calls its WorkerLink; the answers are calls of its WorkerEvents. The
// link leads to the JobState (job_state.h), directly or over a network. No call
// waits for another worker.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_WORKER_LINK_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_WORKER_LINK_H_

#include <string>
#include <vector>

#include "reference/base/error.h"

namespace lockstep::control_internal {

// Why something failed, as a value that many threads may read. Threads must not
// share an exception object.
struct Failure {
  explicit Failure(const Error& error)
      : code(error.code()), message(error.what()) {}
  Failure(Code code, std::string message)
      : code(code), message(std::move(message)) {}

  Error ToError() const { return Error(code, message); }

  Code code;
  std::string message;
};

// Notifications to a worker. Called on any thread, possibly with locks held: an
// implementation must neither wait nor call the link.
class WorkerEvents {
 public:
  virtual ~WorkerEvents() = default;

  // All workers have arrived; `values` are by worker.
  virtual void AllArrived(const std::vector<std::string>& values) = 0;
  // The awaited exchange was refused; the job goes on.
  virtual void Refused(const Failure& why) = 0;
  // The job has failed.
  virtual void Failed(const Failure& why) = 0;
};

// A worker's messages to the job. Thread-safe. No call throws, even after the
// job has failed or the connection is lost: the worker's events report that.
class WorkerLink {
 public:
  // Without a Leave before, the worker counts as dead. No event is called after
  // the destructor returns.
  virtual ~WorkerLink() = default;

  // Answered by AllArrived, Refused or Failed. REQUIRES: not waiting already.
  virtual void Arrive(const std::string& name, const std::string& value) = 0;
  // This worker stops waiting in its exchange; ignored if that is over.
  virtual void Expire() = 0;
  virtual void Abort(const std::string& reason) = 0;
  virtual void Leave() = 0;
};

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_WORKER_LINK_H_
