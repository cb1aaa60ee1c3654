// One collective of the replicas of this worker with those of the others, as
// statements in the order in which they run:
//
//   ReplicaData mine = {.values = &values};
//   ReplicaMeeting meeting(*replicas, r, {.operation = "AllReduce"}, mine);
//   meeting.Contribute([&] { AddValues(meeting, meeting.leader().sums); });
//   if (meeting.leading()) {
//     meeting.Exchange([&](Group& workers, const CollectiveOptions& options) {
//       mine.totals = workers.AllReduce(op, mine.sums, options).Wait();
//     });
//   }
//   meeting.Share();
//   TensorList totals = meeting.leader().totals;
//   meeting.Finish();
//
// Every replica has a meeting for each collective, on its own thread. Replica 0
// leads: it alone calls the other workers.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_REPLICA_MEETING_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_REPLICA_MEETING_H_

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/group.h"
#include "reference/collectives/hierarchical/worker_group.h"
#include "reference/collectives/rendezvous.h"

namespace lockstep::collectives_internal {

// The tensors of one replica in a collective. The other replicas of the worker
// may use them from the start of the meeting until it is finished.
struct ReplicaData {
  const TensorList* values = nullptr;  // the input
  // On the leader only:
  TensorList sums = {};                   // over the replicas of this worker
  TensorList totals = {};                 // over all replicas
  TensorList results = {};                // the totals, or their means
  std::vector<TensorList> gathered = {};  // entry w from worker w
};

// What all replicas of a collective have to agree on, and how long this one
// waits for the others.
struct CollectiveCall {
  const char* operation;
  int parameter = 0;  // op or root
  Deadline deadline = kNoDeadline;
};

class ReplicaMeeting;

// The replicas of this worker. Their groups share it.
class LocalReplicas {
 public:
  LocalReplicas(std::shared_ptr<Rendezvous> rendezvous,
                std::shared_ptr<WorkerGroup> workers);

  int size() const { return rendezvous_->ranks(); }
  WorkerGroup& workers() const { return *workers_; }
  void Abort();

 private:
  friend class ReplicaMeeting;

  // The replicas did not meet: reports it to the other workers, once.
  void ReportFailure(int replica, const CollectiveCall& call,
                     const Error& error);

  const std::shared_ptr<Rendezvous> rendezvous_;
  const std::shared_ptr<WorkerGroup> workers_;
  // By replica: its current meeting. Valid while the replicas are together.
  std::vector<ReplicaMeeting*> meetings_;
  // Numbers the attempts to meet: successful ones here, resets of the
  // rendezvous on top.
  std::atomic<uint64_t> met_{1};
  std::vector<uint64_t> missed_;  // by replica: its last failed attempt
  // The others wait while one replica reports, so that no thread acts on the
  // error before the other workers have it.
  std::mutex report_mutex_;
  uint64_t reported_ = 0;
};

class ReplicaMeeting {
 public:
  // Waits until all replicas of this worker have come. REQUIRES: `mine` lives
  // until the meeting is destroyed. Errors: as in hierarchical_group.h; the
  // other workers get them too.
  ReplicaMeeting(LocalReplicas& replicas, int replica,
                 const CollectiveCall& call, ReplicaData& mine);
  ReplicaMeeting(const ReplicaMeeting&) = delete;
  ReplicaMeeting& operator=(const ReplicaMeeting&) = delete;
  // Destroyed before Finish has returned, for instance by an exception: the
  // other replicas get PeerFailure.
  ~ReplicaMeeting();

  int size() const { return replicas_.size(); }
  bool leading() const { return replica_ == 0; }
  const ReplicaData& data(int replica) const;
  ReplicaData& leader() const;

  // Runs `part`, this replica's share of the work before the exchange, and
  // waits until all have done theirs. Share throws its error.
  void Contribute(const std::function<void()>& part);

  // On the leader, each at most once. If a replica's contribution has failed,
  // its error reaches the other workers instead. Share throws the errors.
  //
  // A collective of the workers other than an all-gather.
  void Exchange(
      const std::function<void(Group&, const CollectiveOptions&)>& collective);
  // Gathers the lists that `local` returns on each worker into leader().
  void ExchangeLists(const std::function<TensorList()>& local);

  // Waits for the leader's exchange; then leader() has the results. Errors:
  // those of this replica's contribution; else those of the exchange, which
  // include the errors of other contributions.
  void Share();
  // Waits until all replicas are done with each other's data. Errors:
  // PeerFailure if another replica failed after Share.
  void Finish();

 private:
  friend class LocalReplicas;

  // How often the replicas wait for each other before Finish.
  static constexpr int kRoundsBeforeShare = 2;

  using WorkerCall = std::function<void(const WorkerGroup::Call& call,
                                        const std::optional<Error>& failed)>;
  void Lead(const WorkerCall& exchange);
  // Waits until `rounds` rounds of the rendezvous are over.
  void CompleteRounds(int rounds);

  LocalReplicas& replicas_;
  const int replica_;
  const CollectiveCall call_;
  ReplicaData& mine_;
  Rendezvous::Calls calls_;
  int rounds_ = 0;
  bool finished_ = false;
  // Of the contribution. Other threads read the copy: one exception object must
  // not live on two of them.
  std::exception_ptr own_error_;
  std::optional<Error> failed_;
  // On the leader: of the exchange.
  std::optional<Error> exchange_failed_;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_HIERARCHICAL_REPLICA_MEETING_H_
