// Collectives among N ranks that call together, each on its own thread.
//
//   Communicator communicator(2);
//   // On the thread of rank r, r = 0 and 1, with x = {r + 1}:
//   communicator.AllReduce(r, ops, ReduceOp::kSum, {x});   // {3} on both
//   communicator.AllGather(r, {x});                // {{1}}, {{2}} on both
//   communicator.Broadcast(r, x, 1);                       // {2} on both
//
// Every rank calls the same operations in the same order with matching
// arguments. Errors, all without leaving anybody waiting:
//   - PeerFailure when another rank called Abort;
//   - FailedPrecondition "replicas disagree" when another rank called Leave or
//     calls another operation; everybody gets it, and may go on;
//   - InvalidArgument where shapes do not fit, or the root is no rank;
//     everybody gets it.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_COMMUNICATOR_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_COMMUNICATOR_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reference/base/error.h"
#include "reference/collectives/cross_device_ops.h"
#include "reference/collectives/reduce_op.h"
#include "reference/device/device.h"
#include "reference/tensor/tensor.h"

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

// Where the ranks of a collective meet: a barrier that failure cannot block.
//
//   Rendezvous rendezvous(2);         // two threads: rank 0 and rank 1
//   rendezvous.Arrive();              // on both: returns when both are there
//   rendezvous.Abort();               // on one that failed: the other's Arrive
//                                     // throws PeerFailure, at once
//   rendezvous.Leave();               // on one that is done: an Arrive that
//                                     // can no longer complete throws
//   rendezvous.Reset();               // when nobody is inside: as new
//
// Nobody is left waiting: every Arrive returns or throws as soon as all other
// ranks have arrived, left or failed.
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

class Communicator {
 public:
  // Errors: InvalidArgument for ranks < 1.
  explicit Communicator(int ranks);

  int ranks() const { return rendezvous_.ranks(); }

  // The reduced list, the same bits on every rank, each on its own device.
  std::vector<Tensor> AllReduce(int rank, const CrossDeviceOps& ops,
                                ReduceOp op, const std::vector<Tensor>& values);
  // The same into `results`, memory of the rank's device that nobody else sees,
  // from values as PrepareForReduce gives them. On GPUs `queue` does it, behind
  // what the rank's compute queue was given by now, and nobody waits: until the
  // compute queue waits for `queue`, also after an error, inputs and results
  // live on and nobody touches the results. REQUIRES: more than one rank.
  void AllReduceInto(int rank, const CrossDeviceOps& ops, ReduceOp op,
                     const std::vector<Tensor>& inputs,
                     std::vector<Tensor>& results, DeviceQueue queue);
  // The reduced value on rank `root`; an undefined tensor on the others.
  Tensor Reduce(int rank, ReduceOp op, const Tensor& value, int root);
  // What `root` brought, copied to the caller's device.
  Tensor Broadcast(int rank, const Tensor& value, int root);
  // What every rank brought, entry r from rank r, sharing memory. Lists need
  // not have the same length, nor their tensors the same shape.
  std::vector<std::vector<Tensor>> AllGather(int rank,
                                             const std::vector<Tensor>& values);

  // Runs rank 0's `function` once, on rank 0's thread, while all others wait;
  // it sees what every rank brought. An exception in it reaches every rank.
  using MergeFunction = std::function<void(std::span<const void* const>)>;
  void Merge(int rank, const void* argument, const MergeFunction& function);

  // See Rendezvous.
  void Abort() { rendezvous_.Abort(); }
  void Leave() { rendezvous_.Leave(); }
  void Reset();

 private:
  // What a rank brings to a meeting; the others read it while it lasts.
  struct Call {
    const char* operation = nullptr;
    int parameter = 0;  // op, root or axis
    const std::vector<Tensor>* values = nullptr;
    std::vector<Tensor>* results = nullptr;
    const void* argument = nullptr;
    // Why this rank failed, in a form that other threads may read: one
    // exception object must not live on two of them.
    bool failed = false;
    Code code = Code::kInternal;
    std::string message = {};
  };
  struct alignas(64) Slot {
    // Two, used in turn: a rank that is ahead fills the other one while a slow
    // one still reads the errors of the last meeting.
    std::array<Call, 2> calls;
    uint32_t meetings = 0;
  };
  using Calls = std::vector<Call*>;

  // Brings all ranks together, runs body(everybody's calls), and ends when all
  // have run theirs: until then nobody's memory goes away.
  void Meet(int rank, const Call& call,
            const std::function<void(const Calls&)>& body);
  void CheckSameOperation(const Calls& calls) const;
  void CheckRoot(const char* operation, int root) const;
  static void ThrowOthersFailure(const Calls& calls);
  void ReduceTogether(int rank, const CrossDeviceOps& ops, ReduceOp op,
                      const std::vector<Tensor>& inputs,
                      std::vector<Tensor>& results, DeviceQueue queue);
  void RunReduction(int rank, const CrossDeviceOps& ops, ReduceOp op,
                    DeviceQueue queue, const Calls& calls);

  Rendezvous rendezvous_;
  std::vector<Slot> slots_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_COMMUNICATOR_H_
