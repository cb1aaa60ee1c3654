// How it works. The meeting and the data of each replica are on its own stack.
// LocalReplicas has pointers to the meetings, and no replica leaves before all
// have finished, so the pointers stay valid. Between the start and the end, two
// rounds of the rendezvous separate three parts:
//
//                   replica 0                 replica 1, 2, ...
//   constructor     ------------ all replicas have come ------------
//   Contribute      its part                  its part
//                   -------- all have done, or failed in, theirs ----
//   Exchange        calls the workers         -
//   Share           ------------ the workers have exchanged ---------
//                   takes the results         takes the results
//   Finish          ------------ no replica needs the data -----------
//
// A replica whose contribution throws still takes part in both rounds. Replica
// 0 reports the first such error to the other workers in place of the exchange.
// An error of the exchange is in replica 0's meeting, and every replica without
// an error from its own contribution throws it.
//
// The replicas may also fail to meet: one calls something else, has left, or is
// late. The other workers would wait for this one forever, so one replica calls
// them with the error in place of values. All replicas throw from the
// constructor, and exactly one of them must report: attempts are numbered, by
// the meetings that succeeded and the resets of the rendezvous, and the first
// replica with a new number reports. A replica that fails twice with the same
// number has called again without a reset, which no other worker expects: it
// aborts the group of the workers, and so does a replica that was cancelled.
#include "reference/collectives/hierarchical/replica_meeting.h"

#include <algorithm>
#include <utility>

namespace lockstep::collectives_internal {
namespace {

// The error of `body`, as a copy that other threads may read.
std::optional<Error> ErrorOf(const std::function<void()>& body,
                             std::exception_ptr& own) {
  try {
    body();
    return std::nullopt;
  } catch (const Error& error) {
    own = std::current_exception();
    return error;
  } catch (const std::exception& error) {
    own = std::current_exception();
    return Internal("[Collective] {}", error.what());
  } catch (...) {
    own = std::current_exception();
    return Internal("[Collective] {}", "an exception of unknown type");
  }
}

}  // namespace

LocalReplicas::LocalReplicas(std::shared_ptr<Rendezvous> rendezvous,
                             std::shared_ptr<WorkerGroup> workers)
    : rendezvous_(std::move(rendezvous)),
      workers_(std::move(workers)),
      meetings_(rendezvous_->ranks()),
      missed_(rendezvous_->ranks()) {}

void LocalReplicas::Abort() {
  rendezvous_->Abort();
  workers_->Abort();
}

void LocalReplicas::ReportFailure(int replica, const CollectiveCall& call,
                                  const Error& error) {
  const uint64_t attempt = met_.load() + rendezvous_->resets();
  const bool again = std::exchange(missed_[replica], attempt) == attempt;
  if (again || error.code() == Code::kCancelled) return workers_->Abort();
  const std::lock_guard lock(report_mutex_);
  if (std::exchange(reported_, attempt) == attempt) return;
  try {
    workers_->Run({.operation = call.operation,
                   .parameter = call.parameter,
                   .options = {.deadline = call.deadline}},
                  error, nullptr);
  } catch (const Error&) {
    // The same error, which the caller throws, or the workers are out of reach.
  }
}

ReplicaMeeting::ReplicaMeeting(LocalReplicas& replicas, int replica,
                               const CollectiveCall& call, ReplicaData& mine)
    : replicas_(replicas), replica_(replica), call_(call), mine_(mine) {
  replicas_.meetings_[replica] = this;
  try {
    calls_ = replicas_.rendezvous_->Enter(
        replica, {.operation = call.operation, .parameter = call.parameter},
        call.deadline);
  } catch (const Error& error) {
    replicas_.ReportFailure(replica, call, error);
    throw;
  }
}

ReplicaMeeting::~ReplicaMeeting() {
  if (finished_) return;
  if (rounds_ < kRoundsBeforeShare) exchange_failed_ = PeerFailure();
  calls_[replica_]->failed = true;
  CompleteRounds(kRoundsBeforeShare + 1);
}

const ReplicaData& ReplicaMeeting::data(int replica) const {
  return replicas_.meetings_[replica]->mine_;
}

ReplicaData& ReplicaMeeting::leader() const {
  return replicas_.meetings_[0]->mine_;
}

void ReplicaMeeting::CompleteRounds(int rounds) {
  for (; rounds_ < rounds; ++rounds_) replicas_.rendezvous_->NextRound();
}

void ReplicaMeeting::Contribute(const std::function<void()>& part) {
  failed_ = ErrorOf(part, own_error_);
  CompleteRounds(1);
}

void ReplicaMeeting::Exchange(
    const std::function<void(Group&, const CollectiveOptions&)>& collective) {
  Lead([&](const WorkerGroup::Call& call, const std::optional<Error>& failed) {
    replicas_.workers().Run(call, failed, collective);
  });
}

void ReplicaMeeting::ExchangeLists(const std::function<TensorList()>& local) {
  Lead([&](const WorkerGroup::Call& call, const std::optional<Error>& failed) {
    mine_.gathered = replicas_.workers().AllGather(call, [&] {
      if (failed) throw Error(*failed);
      return local();
    });
  });
}

void ReplicaMeeting::Lead(const WorkerCall& exchange) {
  CompleteRounds(1);
  replicas_.met_.fetch_add(1);
  Deadline deadline = kNoDeadline;
  std::optional<Error> failed;
  for (const ReplicaMeeting* meeting : replicas_.meetings_) {
    deadline = std::min(deadline, meeting->call_.deadline);
    if (!failed) failed = meeting->failed_;
  }
  const WorkerGroup::Call call = {.operation = call_.operation,
                                  .parameter = call_.parameter,
                                  .options = {.deadline = deadline}};
  std::exception_ptr own;
  exchange_failed_ = ErrorOf([&] { exchange(call, failed); }, own);
  // The replicas without the error only fail because of the one that has it.
  const bool of_one_replica = failed &&
                              failed->code() != Code::kFailedPrecondition &&
                              failed->code() != Code::kInvalidArgument;
  if (of_one_replica) exchange_failed_ = PeerFailure();
}

void ReplicaMeeting::Share() {
  CompleteRounds(kRoundsBeforeShare);
  if (own_error_) std::rethrow_exception(own_error_);
  const auto& failed = replicas_.meetings_[0]->exchange_failed_;
  if (failed) throw Error(*failed);
}

void ReplicaMeeting::Finish() {
  finished_ = true;
  replicas_.rendezvous_->Exit(calls_);
}

}  // namespace lockstep::collectives_internal
