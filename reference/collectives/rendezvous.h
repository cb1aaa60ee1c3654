// Where the ranks of one process meet and see each other's arguments.
//
//   Rendezvous rendezvous(2);
//   // On the thread of rank r, r = 0 and 1:
//   rendezvous.Meet(r, {.operation = "AllGather", .values = &mine}, deadline,
//                   [&](const Rendezvous::Calls& calls) {
//     // calls[0]->values and calls[1]->values: all ranks', valid until all
//     // have run this
//   });
//   rendezvous.Merge(r, &argument, function);   // once, on rank 0's thread
//
// Every rank makes the same calls in the same order. No error leaves a rank
// waiting: those of AbortableBarrier::Arrive; the error of a body, and
// PeerFailure on the other ranks; FailedPrecondition "replicas disagree" if
// ranks meet with different operations: all get it and may continue.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_RENDEZVOUS_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_RENDEZVOUS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/barrier.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

class Rendezvous {
 public:
  // A rank's arguments. The others read them while they are together.
  struct Call {
    const char* operation = nullptr;
    int parameter = 0;  // op or root
    const std::vector<Tensor>* values = nullptr;
    std::vector<Tensor>* results = nullptr;
    const void* argument = nullptr;
    // Why this rank failed, as values that other threads may read. Threads must
    // not share an exception object.
    bool failed = false;
    Code code = Code::kInternal;
    std::string message = {};
  };
  using Calls = std::vector<Call*>;

  // Errors: InvalidArgument for ranks < 1.
  explicit Rendezvous(int ranks) : barrier_(ranks), slots_(ranks) {}

  int ranks() const { return barrier_.ranks(); }

  // Waits for all ranks, runs body(all ranks' calls), and returns when all have
  // run theirs. Until then all ranks' memory stays valid.
  void Meet(int rank, const Call& call, Deadline deadline,
            const std::function<void(const Calls&)>& body);
  // The parts of Meet, for a caller that writes the body as statements. Enter
  // returns all ranks' calls or throws on every rank. After it every rank calls
  // NextRound equally often and then Exit, even if it fails: then it sets
  // `failed` in its own call and calls NextRound in place of Exit.
  Calls Enter(int rank, const Call& call, Deadline deadline);
  void Exit(const Calls& calls);
  // While the ranks are together: waits until all have called it.
  void NextRound() { barrier_.Pass(); }

  // Runs rank 0's `function` once, on rank 0's thread, with every rank's
  // argument, while all others wait. Every rank gets its exception.
  using MergeFunction = std::function<void(std::span<const void* const>)>;
  void Merge(int rank, const void* argument, const MergeFunction& function);

  // See AbortableBarrier.
  void Abort() { barrier_.Abort(); }
  void Leave() { barrier_.Leave(); }
  void Reset();
  // How often Reset was called.
  uint64_t resets() const { return resets_; }

 private:
  struct alignas(64) Slot {
    // Two, used in turn: a rank that is ahead fills one while a slow rank still
    // reads the errors of the previous meeting in the other.
    std::array<Call, 2> calls;
    uint32_t times = 0;
  };

  void CheckSameOperation(const Calls& calls) const;
  static void ThrowOthersFailure(const Calls& calls);

  AbortableBarrier barrier_;
  std::vector<Slot> slots_;
  uint64_t resets_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_RENDEZVOUS_H_
