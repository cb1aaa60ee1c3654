// A barrier for the threads of one process that never leaves a thread waiting.
//
//   AbortableBarrier barrier(2);  // two threads: rank 0 and rank 1
//   barrier.Arrive();             // on both: returns when both have arrived
//   barrier.Arrive(deadline);     // throws at the deadline, on both
//   barrier.Abort();              // one failed: every Arrive throws at once
//   barrier.Leave();              // one is done: an Arrive that can no longer
//                                 // complete throws
//   barrier.Reset();              // when no rank is inside: as if new
//
// Every Arrive returns or throws as soon as all other ranks have arrived, left
// or failed, or at its deadline.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_BARRIER_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_BARRIER_H_

#include <atomic>
#include <cstdint>

#include "reference/base/deadline.h"
#include "reference/base/error.h"

namespace lockstep {

// Thrown to a rank because another one failed. It is never the cause: code that
// collects the ranks' errors looks for one that is not a PeerFailure.
class PeerFailure : public Error {
 public:
  PeerFailure()
      : Error(Code::kCancelled,
              "[Collective] given up because another replica failed") {}
};

class AbortableBarrier {
 public:
  // Errors: InvalidArgument for ranks < 1.
  explicit AbortableBarrier(int ranks);
  AbortableBarrier(const AbortableBarrier&) = delete;
  AbortableBarrier& operator=(const AbortableBarrier&) = delete;

  int ranks() const { return ranks_; }

  // Waits until all ranks have arrived; what they wrote before is then visible
  // to all. It returns on all ranks or throws on all. Errors: PeerFailure after
  // Abort; FailedPrecondition "replicas disagree" when a rank has left;
  // DeadlineExceeded when a rank's deadline passed first.
  void Arrive(Deadline deadline = kNoDeadline);
  // The same after an Arrive, when all ranks are sure to come: nothing stops
  // it, not even Abort.
  void Pass();

  // A rank failed and will not arrive any more. Any thread may call it.
  void Abort() { Stop(kPeerFailed); }
  // The calling rank is done and will not arrive any more.
  void Leave();
  // REQUIRES: no thread is in another member function.
  void Reset();

 private:
  // The lowest bits of the state: why the barrier has stopped.
  enum Reason : uint32_t { kNone, kPeerFailed, kPeerLeft, kDeadlinePassed };
  static constexpr uint32_t kReason = 3;
  static constexpr uint32_t kGeneration = 4;

  void Stop(Reason reason);
  bool IsLast();
  uint32_t WaitUntil(uint32_t seen, Deadline deadline) const;
  [[noreturn]] void Fail() const;

  const int ranks_;
  const int spins_;
  // How often all have passed, in the bits above the reason. One word, so that
  // passing and stopping exclude each other.
  alignas(64) std::atomic<uint32_t> state_{0};
  alignas(64) std::atomic<int> arrived_{0};
  std::atomic<int> left_{0};
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_BARRIER_H_
