// The one failure of a job, and the callbacks that it is reported to.
//
//   FailureWatch failure;
//   auto watch = failure.Add([&](const Error& why) { group.Abort(); });
//   failure.Set(Failure(Cancelled("...")));   // calls it, on another thread
//   failure.Set(Failure(Unavailable("...")));  // too late: false
//   failure.Check();                           // throws the first
//
// Thread-safe. Watchers are called on a thread of this class, so that they may
// take any lock and call anything, whichever thread noticed the failure.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_FAILURE_WATCH_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_FAILURE_WATCH_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "reference/base/threads.h"
#include "reference/cluster/control/control_plane.h"
#include "reference/cluster/control/worker_link.h"

namespace lockstep::control_internal {

class FailureWatch {
 public:
  FailureWatch();
  // Makes no more calls; waits for one that is in progress.
  ~FailureWatch();

  // False where it has failed before: the first counts.
  bool Set(const Failure& why);
  bool IsSet() const;
  // Throws the failure, if there is one.
  void Check() const;
  // See ControlPlane::OnFailure. Errors: ResourceExhausted, when the system
  // gives no thread.
  std::unique_ptr<ControlPlane::Watch> Add(
      std::function<void(const Error&)> on_failure);

 private:
  struct Shared;
  class Entry;

  const std::shared_ptr<Shared> shared_;
  std::mutex starting_;
  std::optional<ThreadGroup> teller_;  // from the first Add on
};

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_FAILURE_WATCH_H_
