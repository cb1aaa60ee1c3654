// Schedules functions on the workers of a ParameterServerStrategy.
//
//   ClusterCoordinator coordinator(strategy);       // waits for all workers
//   const PerWorkerValue batches =
//       coordinator.CreatePerWorkerDataset(train).MakeIterator();
//   std::vector<RemoteValue> losses;
//   for (int i = 0; i < 100; ++i) {
//     losses.push_back(coordinator.Schedule(step, {batches}));
//   }
//   coordinator.Join();
//   coordinator.Fetch(losses[0]);
//
// A function goes to the worker that has been idle for longest; results do not
// come in the order of scheduling.
//
// Exactly one of Schedule, Join and Done raises each error of a function,
// whichever is called first; also the end of a worker's data (OutOfRange). What
// has not begun then is Cancelled, what runs is finished before. Afterwards
// scheduling goes on as if nothing had happened.
//
// Functions of a worker that is lost run again elsewhere. One that was running
// when several workers were lost fails with Internal (ParameterServerStrategy-
// Options::allowed_worker_losses): it may be what ends them. A worker that comes
// back at its address is used again, with values and iterators made again;
// without workers functions wait. If a server is lost everything throws
// Unavailable at once, forever: start the coordinator again and restore a
// checkpoint.
#ifndef LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_CLUSTER_COORDINATOR_H_
#define LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_CLUSTER_COORDINATOR_H_

#include <memory>
#include <variant>

#include "reference/parameter_server/coordinator/parameter_server_strategy.h"
#include "reference/parameter_server/coordinator/worker_function.h"

namespace lockstep {

// What Fetch takes: results of functions, and values that pass through.
using FetchedLeaf = std::variant<Tensor, RemoteValue>;

// A dataset that each worker has made for itself.
class PerWorkerDataset;

class ClusterCoordinator {
 public:
  // Connects with all workers and waits for them. REQUIRES: `strategy` outlives
  // it, and has one coordinator at a time. Errors: FailedPrecondition on a
  // worker; DeadlineExceeded if a worker does not come within
  // control.join_timeout; Unauthenticated for a worker with another token;
  // FailedPrecondition for one of another program or library version.
  explicit ClusterCoordinator(ParameterServerStrategy& strategy);
  // Cancels what has not finished. Workers stay until the strategy is
  // destroyed.
  ~ClusterCoordinator();
  ClusterCoordinator(const ClusterCoordinator&) = delete;
  ClusterCoordinator& operator=(const ClusterCoordinator&) = delete;

  ParameterServerStrategy& strategy() const;

  // Queues a call and returns at once; waits while 256 * 1024 calls are
  // queued. Errors: InvalidArgument for an argument that cannot be sent (a
  // RemoteValue, a variable); the error of an earlier function, as above, and
  // then nothing is queued. A function of a name that the worker does not know
  // fails there with NotFound.
  RemoteValue Schedule(const WorkerFunction& function,
                       const PositionalArguments& arguments = {},
                       const NamedArguments& named = {});
  RemoteValue Schedule(const WorkerFunction& function,
                       const NamedArguments& named) {
    return Schedule(function, {}, named);
  }
  // Waits until all scheduled functions have finished.
  void Join();
  // Whether all scheduled functions have finished. Does not wait.
  bool Done();

  // Waits for results. What is no RemoteValue stays as it is:
  //   Fetch(Dict({{"a", remote}, {"b", Tensor::Scalar(5)}}))
  // has the result of `remote` at "a". Errors: those of RemoteValue::Fetch.
  Structure Fetch(const RemoteValue& value) const { return value.Fetch(); }
  Structure Fetch(const Nest<FetchedLeaf>& values) const;

  // Calls the function on each worker, and on each that is started again.
  // Returns without waiting. Its errors are errors of the functions that use
  // the dataset.
  PerWorkerDataset CreatePerWorkerDataset(const WorkerDataset& function);
  // The same for a value that a function returns.
  PerWorkerValue CreatePerWorkerValues(
      const WorkerFunction& function, const PositionalArguments& arguments = {},
      const NamedArguments& named = {});

  // Inner parts, for fit.
  class Cluster;

 private:
  friend class PerWorkerDataset;

  const std::unique_ptr<Cluster> cluster_;
};

class PerWorkerDataset {
 public:
  PerWorkerDataset(ClusterCoordinator& coordinator,
                   coordinator_internal::ResourceId id)
      : coordinator_(&coordinator), id_(id) {}

  // A new pass over each worker's dataset. REQUIRES: the coordinator lives.
  PerWorkerValue MakeIterator() const;

 private:
  ClusterCoordinator* coordinator_;
  coordinator_internal::ResourceId id_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PARAMETER_SERVER_COORDINATOR_CLUSTER_COORDINATOR_H_
