// What the workers of a job do together, where one of them may fail on its own
// before it comes.
//
//   WorkerGroup workers(group);   // of Group, one rank per worker
//   const std::vector<TensorList> all = workers.AllGather(
//       {.operation = "Gather"}, [&] { return TensorList{Joined(values)}; });
//   // entry w from worker w; where Joined threw on one, all get its error
//
// One call at a time. Workers that call different things, or of which one has
// failed, all find it out in the same call: then each says what it called and
// how it failed, and all get the same error, FailedPrecondition where
// operations differ, and may go on. That costs nothing while all goes well.
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
  // What all workers call, and how long this one waits.
  struct Call {
    std::string_view operation;
    int parameter = 0;  // op, root or axis
    CollectiveOptions options = {};
  };

  // A call waits for `timeout` at most; nullopt: for ever. `control`, where the
  // workers have one, says by what the job has failed where the group can only
  // say Cancelled.
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

  // What `local` gives on each worker, entry w from worker w. Errors: the
  // lowest worker's where `local` throws on some, of any code, on all of them;
  // else as Run.
  std::vector<TensorList> AllGather(const Call& call,
                                    const std::function<TensorList()>& local);

  // `across`, one collective of the group other than an all-gather, on workers
  // that have not `failed` before. Errors: a worker's FailedPrecondition,
  // InvalidArgument or DeadlineExceeded, on all of them; after any other the
  // others get Cancelled, and the group is finished; those of the collective.
  void Run(const Call& call, const std::optional<Error>& failed,
           const std::function<void(Group&, const CollectiveOptions&)>& across);

  // As the group's.
  void Abort() { group_->Abort(); }
  // Throws what went wrong between the workers; else nothing.
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
