#include "reference/collectives/rendezvous.h"

#include "reference/base/spin_wait.h"

namespace lockstep {

Rendezvous::Rendezvous(int ranks) : ranks_(ranks), spins_(SpinsFor(ranks)) {
  if (ranks < 1) {
    throw InvalidArgument("[Rendezvous] ranks must be at least 1, got {}",
                          ranks);
  }
}

void Rendezvous::Arrive() {
  const uint32_t seen = state_.load();
  if (seen & kStopped) Fail();
  if (arrived_.fetch_add(1) + 1 == ranks_) {
    arrived_.store(0);
    state_.fetch_add(kGeneration);
    state_.notify_all();
    return;
  }
  // Leave() counts itself and then looks for arrivals, this the other way
  // round: one of the two sees the other.
  if (left_.load() > 0) Stop(kPeerLeft);
  const uint32_t now = WaitForChange(state_, seen, spins_);
  if (now / kGeneration == seen / kGeneration) Fail();
}

void Rendezvous::Abort() { Stop(kPeerFailed); }

void Rendezvous::Leave() {
  left_.fetch_add(1);
  if (arrived_.load() > 0) Stop(kPeerLeft);
}

void Rendezvous::Reset() {
  arrived_.store(0);
  left_.store(0);
  reason_.store(kNone);
  state_.fetch_and(~kStopped);
}

void Rendezvous::Stop(Reason reason) {
  int none = kNone;
  reason_.compare_exchange_strong(none, reason);
  state_.fetch_or(kStopped);
  state_.notify_all();
}

void Rendezvous::Fail() const {
  if (reason_.load() == kPeerLeft) {
    throw FailedPrecondition(
        "[Collective] replicas disagree: some of {} returned while others "
        "wait for them in a collective, a merge call or a variable update",
        ranks_);
  }
  throw PeerFailure();
}

}  // namespace lockstep
