// Why a mesh is given up, if it is: one error, the first there was, that all of
// its ranks get.
//
//   GivenUp given_up(control);
//   given_up.GiveUp(DataLoss(...), tell);   // on rank 0: the others are told
//   given_up.Heed(notice);                  // on rank 1: it was
//   given_up.Check();                       // throws DataLoss on both
//
// A job that fails, as the control plane knows, gives the mesh up on every rank
// by itself. A rank that is told by one which had done the collective that it
// is in has all that it needs to do it too: it learns of it afterwards.
//
// Thread-safe.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MESH_GIVEN_UP_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MESH_GIVEN_UP_H_

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

class GivenUp {
 public:
  // What a rank that gives up tells the others, as bytes: why, and how many
  // collectives it had done by then.
  struct Notice {
    int64_t done = 0;
    Code code = Code::kInternal;
    std::array<char, 1000> text = {};
  };
  using Tell = std::function<void(const Notice&)>;

  // Somebody who sleeps until a message comes.
  class Waiter {
   public:
    virtual ~Waiter() = default;
    virtual void Wake() = 0;  // a wait that is, or one that begins later
  };

  // REQUIRES: the control plane outlives it.
  explicit GivenUp(ControlPlane& control);

  // Unless somebody has given up before: calls `tell`, which does not throw,
  // while who waits here still waits, so that messages which are under way have
  // their memory; then `why` is known. Returns when an error is known.
  void GiveUp(const Error& why, const Tell& tell);
  void Heed(const Notice& notice);
  void CollectiveDone();

  // At most one waits at a time. Errors: those of Check.
  void BeginWait(Waiter& waiter);
  void EndWait();

  bool known() const { return known_.load(std::memory_order_acquire); }
  void WaitUntilKnown(std::chrono::milliseconds limit);
  // Throws the error, PeerFailure where another rank was Cancelled; else
  // nothing.
  void Check() const;
  // REQUIRES: one is known.
  [[noreturn]] void Rethrow() const;

 private:
  struct Reason {
    Error error;
    bool of_a_rank;
  };
  [[noreturn]] static void Throw(const Reason& reason);
  // The first who gives up: whether this is it.
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

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MESH_GIVEN_UP_H_
