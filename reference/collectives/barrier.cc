#include "reference/collectives/barrier.h"

#include <algorithm>
#include <thread>

#include "reference/base/threads.h"

namespace lockstep {

AbortableBarrier::AbortableBarrier(int ranks)
    : ranks_(ranks), spins_(SpinsFor(ranks)) {
  if (ranks < 1) {
    throw InvalidArgument("[Collective] ranks must be at least 1, got {}",
                          ranks);
  }
}

bool AbortableBarrier::IsLast() {
  if (arrived_.fetch_add(1) + 1 < ranks_) return false;
  arrived_.store(0);
  return true;
}

void AbortableBarrier::Arrive(Deadline deadline) {
  const uint32_t seen = state_.load();
  if (seen & kReason) Fail();
  if (IsLast()) {
    uint32_t unstopped = seen;
    if (!state_.compare_exchange_strong(unstopped, seen + kGeneration)) Fail();
    state_.notify_all();
    return;
  }
  // Leave() counts itself and then looks for arrivals; Arrive() does the
  // reverse. So one of the two sees the other.
  if (left_.load() > 0) Stop(kPeerLeft);
  uint32_t now = WaitUntil(seen, deadline);
  if (now == seen &&
      state_.compare_exchange_strong(now, seen | kDeadlinePassed)) {
    state_.notify_all();
    Fail();
  }
  if (now / kGeneration == seen / kGeneration) Fail();
}

void AbortableBarrier::Pass() {
  const uint32_t generation = state_.load() / kGeneration;
  if (IsLast()) {
    state_.fetch_add(kGeneration);
    state_.notify_all();
    return;
  }
  uint32_t now = state_.load();
  while (now / kGeneration == generation) {
    now = WaitForChange(state_, now, spins_);
  }
}

// Returns the changed state, or `seen` at the deadline. An atomic has no wait
// with a deadline, so this polls, with growing pauses.
uint32_t AbortableBarrier::WaitUntil(uint32_t seen, Deadline deadline) const {
  if (deadline == kNoDeadline) return WaitForChange(state_, seen, spins_);
  constexpr std::chrono::microseconds kLongest{1000};
  std::chrono::microseconds pause{20};
  uint32_t now = state_.load();
  while (now == seen && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongest);
    now = state_.load();
  }
  return now;
}

void AbortableBarrier::Leave() {
  left_.fetch_add(1);
  if (arrived_.load() > 0) Stop(kPeerLeft);
}

void AbortableBarrier::Reset() {
  arrived_.store(0);
  left_.store(0);
  state_.fetch_and(~kReason);
}

// The first reason counts.
void AbortableBarrier::Stop(Reason reason) {
  uint32_t now = state_.load();
  while (!(now & kReason) && !state_.compare_exchange_weak(now, now | reason)) {
  }
  state_.notify_all();
}

void AbortableBarrier::Fail() const {
  switch (state_.load() & kReason) {
    case kPeerLeft:
      throw FailedPrecondition(
          "[Collective] replicas disagree: some of {} returned while others "
          "wait for them in a collective, a merge call or a variable update",
          ranks_);
    case kDeadlinePassed:
      throw DeadlineExceeded(
          "[Collective] not all of {} replicas came before the deadline; one "
          "did not come or hangs",
          ranks_);
    default:
      throw PeerFailure();
  }
}

}  // namespace lockstep
