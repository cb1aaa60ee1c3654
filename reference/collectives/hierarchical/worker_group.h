// Collectives between the workers of a job, where a worker may fail before it
// takes part.
//
//   WorkerGroup workers(group);   // of Group, one rank per worker
//   const std::vector<TensorList> all = workers.AllGather(
//       {.operation = "Gather"}, [&] { return TensorList{Joined(values)}; });
//   // entry w from worker w; where Joined threw on one, all get its error
//
// One call at a time. If workers call different operations, or one has failed,
// all notice it in the same call. Then they exchange what each called and how
// it failed, and all get the same error, FailedPrecondition if operations
// differ, and may continue. Without a failure this costs nothing.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_WORKER_GROUP_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_WORKER_GROUP_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/group.h"

namespace lockstep {

class WorkerGroup {
 public:
  // What all workers have to agree on, and how long this one waits.
  struct Call {
    std::string_view operation;
    int parameter = 0;  // op, root or axis
    CollectiveOptions options = {};
  };

  // A call waits for at most `timeout`; nullopt means forever. `control`, if
  // there is one, has the cause of a failure that the group can only report as
  // Cancelled.
  explicit WorkerGroup(
      std::shared_ptr<Group> group,
      std::optional<std::chrono::milliseconds> timeout = std::nullopt,
      std::shared_ptr<const ControlPlane> control = nullptr)
      : control_(std::move(control)),
        group_(std::move(group)),
        timeout_(timeout) {}

  int worker() const { return group_->rank(); }
  int num_workers() const { return group_->size(); }
  std::string_view algorithm() const { return group_->algorithm(); }

  // Returns the results of `local` on all workers, entry w from worker w.
  // Errors, on all workers: the lowest worker's if `local` throws on some, with
  // any code; else as Run.
  std::vector<TensorList> AllGather(const Call& call,
                                    const std::function<TensorList()>& local);

  // Runs `across`, one collective of the group other than an all-gather, unless
  // a worker has `failed` before. Errors: that worker's FailedPrecondition,
  // InvalidArgument or DeadlineExceeded, on all workers; after any other code
  // the other workers get Cancelled and the group is finished; those of the
  // collective.
  void Run(const Call& call, const std::optional<Error>& failed,
           const std::function<void(Group&, const CollectiveOptions&)>& across);

  // See Group::Abort.
  void Abort() { group_->Abort(); }
  // Throws the failure between the workers, if there is one.
  void Check() const;

 private:
  CollectiveOptions OptionsFor(const Call& call) const;
  void AgreeOnFailure(const Call& call, const std::optional<Error>& failed);

  std::shared_ptr<const ControlPlane> control_;
  std::shared_ptr<Group> group_;  // may use the control plane until it ends
  std::optional<std::chrono::milliseconds> timeout_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_WORKER_GROUP_H_
