// How it works. Each replica has a Frame on its own stack, and the rendezvous
// gives all of them to all replicas; no replica leaves before all are through,
// so the frames stay valid. Two rounds inside the rendezvous separate three
// parts:
//
//              replica 0                    replica 1, 2, ...
//   Meet       waits for all                waits for all
//              work.here                    work.here
//   NextRound  ------------ all have done their part -------------
//              work.across                  wait
//   NextRound  ------------ the workers have exchanged ------------
//              work.take                    work.take
//
// A replica whose `here` throws still takes part in both rounds: its error is
// in its frame, and replica 0 hands the first one to `across`, so that the
// other workers get it too. What `across` throws is in frames[0]; every replica
// without an error of its own throws that.
//
// The replicas may also fail to meet: one calls something else, has left, or is
// late. Then the other workers wait for this one in vain, so one replica makes
// the call between workers after all, with the error in place of values. All of
// them come here, and exactly one of them must tell: failed attempts are
// numbered, by the meetings that succeeded and the resets of the rendezvous,
// and the first with a new number tells. One that comes twice with the same
// number has called again without a reset, which no other worker expects: it
// aborts the group between workers, and so does one that was cancelled.
#include "reference/collectives/hierarchical/replica_meeting.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace lockstep::collectives_internal {
namespace {

// What `body` throws, in a form that other threads may read: one exception
// object must not live on two of them.
std::optional<Error> FailureOf(const std::function<void()>& body,
                               std::exception_ptr* own) {
  try {
    body();
    return std::nullopt;
  } catch (const Error& error) {
    *own = std::current_exception();
    return error;
  } catch (const std::exception& error) {
    *own = std::current_exception();
    return Internal("[Collective] {}", error.what());
  } catch (...) {
    *own = std::current_exception();
    return Internal("[Collective] {}", "an exception of no known type");
  }
}

ReplicaMeeting::Frames FramesOf(const Rendezvous::Calls& calls) {
  ReplicaMeeting::Frames frames;
  for (const Rendezvous::Call* call : calls) {
    frames.push_back(
        static_cast<ReplicaMeeting::Frame*>(const_cast<void*>(call->argument)));
  }
  return frames;
}

}  // namespace

void ReplicaMeeting::Abort() {
  here_->Abort();
  workers_->Abort();
}

void ReplicaMeeting::Meet(int replica, const Work& work, Frame& mine) {
  bool met = false;
  try {
    MeetHere(replica, work, mine, met);
  } catch (const Error& error) {
    if (!met) TellOthers(replica, work, mine, error);
    throw;
  }
}

void ReplicaMeeting::MeetHere(int replica, const Work& work, Frame& mine,
                              bool& met) {
  const Rendezvous::Call call = {.operation = work.operation,
                                 .parameter = work.parameter,
                                 .values = mine.values,
                                 .argument = &mine};
  here_->Meet(replica, call, mine.deadline,
              [&](const Rendezvous::Calls& calls) {
                met = true;
                const Frames frames = FramesOf(calls);
                std::exception_ptr own;
                const auto here = [&] {
                  if (work.here) work.here(frames);
                };
                mine.failed = FailureOf(here, &own);
                here_->NextRound();
                if (replica == 0) ExchangeBetweenWorkers(work, frames);
                here_->NextRound();
                if (own) std::rethrow_exception(own);
                if (frames[0]->failed_above)
                  throw Error(*frames[0]->failed_above);
                work.take(frames);
              });
}

void ReplicaMeeting::ExchangeBetweenWorkers(const Work& work,
                                            const Frames& frames) {
  meetings_.fetch_add(1);
  Deadline deadline = kNoDeadline;
  std::optional<Error> failed;
  for (const Frame* frame : frames) {
    deadline = std::min(deadline, frame->deadline);
    if (!failed) failed = frame->failed;
  }
  std::exception_ptr own;
  std::optional<Error> above = FailureOf(
      [&] {
        work.across(frames,
                    {.operation = work.operation,
                     .parameter = work.parameter,
                     .options = {.deadline = deadline}},
                    failed);
      },
      &own);
  // What is wrong with one replica alone is the others' consequence.
  const bool own_failure = failed &&
                           failed->code() != Code::kFailedPrecondition &&
                           failed->code() != Code::kInvalidArgument;
  frames[0]->failed_above = own_failure ? PeerFailure() : above;
}

// The replicas here will not meet. The first time one of them tells the other
// workers; a replica that calls again is out of step with them, so the group
// ends.
void ReplicaMeeting::TellOthers(int replica, const Work& work,
                                const Frame& mine, const Error& error) {
  const uint64_t time = meetings_.load() + here_->resets();
  const bool again = std::exchange(missed_[replica], time) == time;
  if (again || error.code() == Code::kCancelled) return workers_->Abort();
  const std::lock_guard lock(telling_);
  if (std::exchange(told_, time) == time) return;
  try {
    workers_->Run({.operation = work.operation,
                   .parameter = work.parameter,
                   .options = {.deadline = mine.deadline}},
                  error, nullptr);
  } catch (const Error&) {
    // Our own, which the caller throws, or why the others cannot be reached.
  }
}

}  // namespace lockstep::collectives_internal
