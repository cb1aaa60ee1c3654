// What a worker and the state of its job tell each other.
//
// A worker calls a WorkerLink, and is answered by calls of its WorkerEvents.
// The link leads to the JobState itself (job_state.h), or over a network to the
// process that keeps it. No call waits for another worker.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_WORKER_LINK_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_WORKER_LINK_H_

#include <string>
#include <vector>

#include "reference/base/error.h"

namespace lockstep::control_internal {

// Why something failed, in a form that many threads may read: one exception
// object must not live on two of them.
struct Failure {
  explicit Failure(const Error& error)
      : code(error.code()), message(error.what()) {}
  Failure(Code code, std::string message)
      : code(code), message(std::move(message)) {}

  Error ToError() const { return Error(code, message); }

  Code code;
  std::string message;
};

// What a worker is notified of. Called on any thread, also with locks held:
// none of them waits or calls the link.
class WorkerEvents {
 public:
  virtual ~WorkerEvents() = default;

  // All have arrived: what each brought, by its number.
  virtual void AllArrived(const std::vector<std::string>& values) = 0;
  // The awaited exchange was refused; the job goes on.
  virtual void Refused(const Failure& why) = 0;
  // The job has failed.
  virtual void Failed(const Failure& why) = 0;
};

// What a worker tells the job. Thread-safe. None of them throws, and none is an
// error after the job has failed or the link has broken: the worker's events
// have said so.
class WorkerLink {
 public:
  // Without a Leave before, the worker is gone. When it returns, no event
  // comes any more.
  virtual ~WorkerLink() = default;

  // Answered by AllArrived, Refused or Failed. REQUIRES: not waiting already.
  virtual void Arrive(const std::string& name, const std::string& value) = 0;
  // This worker will not wait any longer in the exchange it arrived at;
  // ignored where that is over.
  virtual void Expire() = 0;
  virtual void Abort(const std::string& reason) = 0;
  virtual void Leave() = 0;
};

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_WORKER_LINK_H_
