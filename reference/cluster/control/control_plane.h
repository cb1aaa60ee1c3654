// The control plane of a job: workers exchange small values, wait for each
// other, and learn when one of them fails.
//
//   // On worker w of 2, w = 0 and 1:
//   control.Exchange("addresses", my_address, deadline);  // both's, by worker
//   control.Barrier("saved", deadline);         // returns when both have come
//   control.Abort("the disk is full");          // the other gets Cancelled
//
// All workers make the same calls in the same order. A worker makes one call at
// a time, except Abort, OnFailure and Check, which any thread may call. No
// error leaves a worker waiting:
//   - InvalidArgument for a value that is too long: no other worker has seen it;
//   - FailedPrecondition if workers give different names, or one has left while
//     others wait for it: all workers get it and may continue;
//   - DeadlineExceeded, naming the missing workers, when a worker's deadline
//     passes;
//   - Unavailable when a worker has died or stopped, or the connection to it is
//     lost;
//   - Cancelled when a worker aborted, with its reason.
// After any error except the first two the job has failed, and every later call
// on any worker throws the same error at once.
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

// The limit for the values of all workers in an Exchange.
inline constexpr size_t kMostExchangedBytes = size_t{1} << 30;

class ControlPlane {
 public:
  // Without a Leave before, the other workers get Unavailable.
  virtual ~ControlPlane() = default;

  virtual WorkerId worker() const = 0;
  virtual int num_workers() const = 0;

  // Returns all workers' values, by worker, once all have called it.
  virtual std::vector<std::string> Exchange(std::string_view name,
                                            const std::string& mine,
                                            Deadline deadline) = 0;
  // Returns when all workers have called it.
  void Barrier(std::string_view name, Deadline deadline) {
    Exchange(name, "", deadline);
  }

  // Ends the job: every waiting or later call throws Cancelled. Any thread may
  // call it. Does not throw.
  virtual void Abort(std::string_view reason) = 0;
  // Throws the job's failure, if there is one. Never waits.
  virtual void Check() const = 0;

  // The destructor ends the watch and waits for a call of `on_failure` that is
  // in progress.
  class Watch {
   public:
    virtual ~Watch() = default;
  };
  // Calls `on_failure` once, on any thread, when the job fails, or at once if
  // it has failed already. It must neither throw nor wait for another worker.
  [[nodiscard]] virtual std::unique_ptr<Watch> OnFailure(
      std::function<void(const Error&)> on_failure) = 0;

  // This worker is done. The others may continue as long as they do not wait
  // for it. Only the destructor may be called afterwards. Once worker 0 has
  // left and ended, the others are not notified of each other's failures.
  virtual void Leave() = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_CLUSTER_CONTROL_CONTROL_PLANE_H_
