// What the workers of a job tell each other besides tensors: what each brings,
// and that one of them is gone.
//
//   // On worker w of 2, w = 0 and 1:
//   control.Exchange("addresses", my_address, deadline);  // both's, by worker
//   control.Barrier("saved", deadline);         // returns when both have come
//   control.Abort("the disk is full");          // the other gets Cancelled
//
// All workers make the same calls in the same order. Thread-safe, but calls of
// one worker do not overlap, Abort, OnFailure and Check apart. Errors, none of
// which leaves a worker waiting:
//   - InvalidArgument for a value that is too long: no other worker has seen it;
//   - FailedPrecondition where workers give different names, or one has left
//     while others wait for it: all workers get it, and may go on;
//   - DeadlineExceeded, with the names of the missing, when a worker's deadline
//     passed first;
//   - Unavailable when a worker has died or stopped, or the link to it is gone;
//   - Cancelled when a worker aborted, with its reason.
// After any but the first two kinds the job has failed: every later call of any
// worker throws the same at once.
#ifndef LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_H_
#define LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/deadline.h"
#include "reference/base/error.h"
#include "reference/cluster/topology.h"

namespace lockstep {

// What all workers together may bring to an Exchange.
inline constexpr size_t kMostExchangedBytes = size_t{1} << 30;

class ControlPlane {
 public:
  // Without a Leave before, the others find this worker gone: Unavailable.
  virtual ~ControlPlane() = default;

  virtual WorkerId worker() const = 0;
  virtual int num_workers() const = 0;

  // What each worker brought, by its number, when all have come.
  virtual std::vector<std::string> Exchange(std::string_view name,
                                            const std::string& mine,
                                            Deadline deadline) = 0;
  // Returns when all workers have called it.
  void Barrier(std::string_view name, Deadline deadline) {
    Exchange(name, "", deadline);
  }

  // Ends the job: every call that waits, or comes later, throws Cancelled. From
  // any thread; does not throw.
  virtual void Abort(std::string_view reason) = 0;
  // Throws what the job has failed by; else nothing. Never waits.
  virtual void Check() const = 0;

  // Ends the watch when destroyed: waits for a call of `on_failure` in
  // progress.
  class Watch {
   public:
    virtual ~Watch() = default;
  };
  // `on_failure` is called once when the job fails, at once where it has
  // failed, on any thread; it neither throws nor waits for another worker.
  [[nodiscard]] virtual std::unique_ptr<Watch> OnFailure(
      std::function<void(const Error&)> on_failure) = 0;

  // This worker is done: the others may go on without it, so long as they do
  // not wait for it. Nothing but the destructor may be called afterwards. Once
  // worker 0 has left and ended, the others do not learn of each other's
  // failures.
  virtual void Leave() = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_H_
