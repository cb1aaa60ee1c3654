// Where the replicas of a worker meet for a collective with those of the other
// workers: each does its part, then the first one goes to the others, then each
// takes what came.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_REPLICA_MEETING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_REPLICA_MEETING_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/group.h"
#include "reference/collectives/hierarchical/worker_group.h"
#include "reference/collectives/rendezvous.h"

namespace lockstep::collectives_internal {

// The replicas of this worker, which the groups of all of them share.
class ReplicaMeeting {
 public:
  // What a replica brings, and on the first one what becomes of it: others read
  // that in `take`, and let go of it before they leave.
  struct Frame {
    const TensorList* values = nullptr;
    Deadline deadline = kNoDeadline;
    TensorList sums = {};                    // of the replicas here
    TensorList totals = {};                  // of all replicas
    TensorList results = {};                 // totals divided, or the same
    std::vector<TensorList> gathered = {};   // by replica of all workers
    std::optional<Error> failed = {};        // by its own part
    std::optional<Error> failed_above = {};  // by that of the first one
  };
  using Frames = std::vector<Frame*>;

  struct Work {
    const char* operation;
    int parameter;
    // On every replica's thread, when all have come; empty: nothing.
    std::function<void(const Frames&)> here;
    // On the first one's; `failed` is the lowest replica's error here.
    std::function<void(const Frames&, const WorkerGroup::Call&,
                       const std::optional<Error>& failed)>
        across;
    // On every replica's, when nothing failed.
    std::function<void(const Frames&)> take;
  };

  ReplicaMeeting(std::shared_ptr<Rendezvous> here,
                 std::shared_ptr<WorkerGroup> workers)
      : here_(std::move(here)),
        workers_(std::move(workers)),
        missed_(here_->ranks()) {}

  WorkerGroup& workers() const { return *workers_; }
  int replicas() const { return here_->ranks(); }

  // Errors: as in hierarchical_group.h.
  void Meet(int replica, const Work& work, Frame& mine);
  void Abort();

 private:
  void MeetHere(int replica, const Work& work, Frame& mine, bool& met);
  void ExchangeBetweenWorkers(const Work& work, const Frames& frames);
  void TellOthers(int replica, const Work& work, const Frame& mine,
                  const Error& error);

  const std::shared_ptr<Rendezvous> here_;
  const std::shared_ptr<WorkerGroup> workers_;
  // Counts the times that all met; with the rendezvous' resets it names a time
  // when they did not, of which one replica tells the others while the rest of
  // those here wait: what they do with the error must not come before it.
  std::atomic<uint64_t> meetings_{1};
  std::mutex telling_;
  uint64_t told_ = 0;
  std::vector<uint64_t> missed_;  // by replica: the last such time
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_REPLICA_MEETING_H_
