// Why a mesh has failed, if it has: one error, the first, that all of its ranks
// get.
//
//   MeshFailure failure(control);
//   failure.GiveUp(DataLoss(...), tell);   // on rank 0: calls tell(notice)
//   failure.OnPeerNotice(notice);          // on rank 1, which has received it
//   failure.Check();                       // throws DataLoss on both
//
// A failure of the job, as the control plane reports it, fails the mesh on
// every rank. A notice of a rank that had already completed the collective
// which this rank is in is delayed until this rank has completed it too.
//
// Thread-safe.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_FAILURE_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_FAILURE_H_

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "reference/base/error.h"
#include "reference/cluster/control/control_plane.h"

namespace lockstep::collectives_internal {

class MeshFailure {
 public:
  // What a rank that gives up sends to the others, as bytes: why, and how many
  // collectives it had completed by then.
  struct Notice {
    int64_t done = 0;
    Code code = Code::kInternal;
    std::array<char, 1000> text = {};
  };
  using Tell = std::function<void(const Notice&)>;

  // A thread that sleeps until a message comes.
  class Waiter {
   public:
    virtual ~Waiter() = default;
    // Ends its wait, even one that is about to begin.
    virtual void Wake() = 0;
  };

  // REQUIRES: the control plane outlives it.
  explicit MeshFailure(ControlPlane& control);

  // If the mesh has not failed yet: calls `tell`, which does not throw, and
  // then makes `why` known. Until then a waiting thread keeps waiting, so that
  // messages in transit keep their memory. If the job has failed, its failure
  // becomes known in place of `why`, without a call of `tell`. Returns when an
  // error is known.
  void GiveUp(const Error& why, const Tell& tell);
  void OnPeerNotice(const Notice& notice);
  void CollectiveDone();

  // At most one thread waits at a time. Errors: those of Check.
  void BeginWait(Waiter& waiter);
  void EndWait();

  bool known() const { return known_.load(std::memory_order_acquire); }
  void WaitUntilKnown(std::chrono::milliseconds limit);
  // Throws the error, if there is one: PeerFailure if another rank was
  // Cancelled.
  void Check() const;
  // REQUIRES: one is known.
  [[noreturn]] void Rethrow() const;

 private:
  struct Reason {
    Error error;
    bool of_a_rank;
  };
  [[noreturn]] static void Throw(const Reason& reason);
  // Whether the caller is the first that reports a failure.
  bool Claim();
  void SetReason(const Error& why, bool of_a_rank);
  Notice NoticeOf(const Error& why);

  const ControlPlane& control_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool claimed_ = false;
  std::optional<Reason> reason_;
  std::atomic<bool> known_ = false;
  int64_t done_ = 0;  // collectives
  std::optional<Notice> early_;
  Waiter* waiter_ = nullptr;
  std::unique_ptr<ControlPlane::Watch> watch_;  // first to end
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_MESH_FAILURE_H_
