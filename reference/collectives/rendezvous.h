// Where the ranks of a collective meet: a barrier that failure cannot block.
//
//   Rendezvous rendezvous(2);          // two threads: rank 0 and rank 1
//   rendezvous.Arrive();               // on both: returns when both are there
//   rendezvous.Abort();                // on one that failed: the other's
//   Arrive
//                                      // throws PeerFailure, at once
//   rendezvous.Leave();                // on one that is done: an Arrive that
//                                      // can no longer complete throws
//   rendezvous.Reset();                // when nobody is inside: as new
//
// Nobody is left waiting: every Arrive returns or throws as soon as all other
// ranks have arrived, left or failed.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_RENDEZVOUS_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_RENDEZVOUS_H_

#include <atomic>
#include <cstdint>

#include "reference/base/error.h"

namespace lockstep {

// Thrown to a rank because another one failed. It is a consequence, never the
// cause: whoever collects the ranks' errors looks for one that is no
// PeerFailure.
class PeerFailure : public Error {
 public:
  PeerFailure()
      : Error(Code::kCancelled,
              "[Collective] given up because another replica failed") {}
};

class Rendezvous {
 public:
  // Errors: InvalidArgument for ranks < 1.
  explicit Rendezvous(int ranks);
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  int ranks() const { return ranks_; }

  // Waits until all ranks have arrived; what they wrote before is then visible
  // to all. Errors: PeerFailure after Abort; FailedPrecondition "replicas
  // disagree" when a rank has left.
  void Arrive();
  // The calling rank failed and will not arrive any more.
  void Abort();
  // The calling rank is done and will not arrive any more.
  void Leave();
  // REQUIRES: no thread is in another member function.
  void Reset();

 private:
  enum Reason : int { kNone, kPeerFailed, kPeerLeft };

  void Stop(Reason reason);
  [[noreturn]] void Fail() const;

  static constexpr uint32_t kStopped = 1;
  static constexpr uint32_t kGeneration = 2;

  const int ranks_;
  const int spins_;
  // Completed meetings in the upper bits, kStopped in the lowest: one word, so
  // that a waiting rank can tell completion from failure.
  alignas(64) std::atomic<uint32_t> state_{0};
  alignas(64) std::atomic<int> arrived_{0};
  std::atomic<int> left_{0};
  std::atomic<int> reason_{kNone};
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_RENDEZVOUS_H_
