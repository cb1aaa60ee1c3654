// The one failure of a job, and the callbacks that it is reported to.
//
//   FailureWatch failure;
//   auto watch = failure.Add([&](const Error& why) { group.Abort(); });
//   failure.Set(Failure(Cancelled("...")));   // calls it, on another thread
//   failure.Set(Failure(Unavailable("...")));  // too late: false
//   failure.Check();                           // throws the first
//
// Thread-safe. Watchers are called on this class's own thread, so they may take
// any lock and call anything.
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
  // Waits for a call in progress and makes no more.
  ~FailureWatch();

  // Returns false if there is a failure already: the first one counts.
  bool Set(const Failure& why);
  bool IsSet() const;
  // Throws the failure, if there is one.
  void Check() const;
  // See ControlPlane::OnFailure. Errors: ResourceExhausted if no thread can be
  // started.
  std::unique_ptr<ControlPlane::Watch> Add(
      std::function<void(const Error&)> on_failure);

 private:
  struct Shared;
  class Entry;

  const std::shared_ptr<Shared> shared_;
  std::mutex starting_;
  std::optional<ThreadGroup> notifier_;  // from the first Add on
};

}  // namespace lockstep::control_internal

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_FAILURE_WATCH_H_
