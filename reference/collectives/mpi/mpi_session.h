// MPI in this process, from the first group on, and the messages under way in
// it.
//
//   MpiSession& session = MpiSession::OfProcess();
//   session.Begin(deadline, control);             // on all workers
//   MpiMessage message = session.Send(1, tag, data, bytes);
//   while (!session.Done(message)) {}
//   session.Abandon(std::move(message));          // or without waiting for it
//
// MPI's calls that wait for others are made on a thread of the session's, so
// that no caller hangs in them: a call that does not return keeps that thread.
// Thread-safe; MPI itself sees one thread at a time.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_SESSION_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_SESSION_H_

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "reference/base/deadline.h"
#include "reference/base/error.h"
#include "reference/cluster/control/control_plane.h"
#include "reference/collectives/mpi/mpi_library.h"

namespace lockstep::collectives_internal {

// A message under way, and a hold of its memory.
struct MpiMessage {
  MpiRequest request = nullptr;  // none: it is done
  bool is_receive = false;
  std::shared_ptr<const std::byte> memory = nullptr;
};

class MpiSession {
 public:
  // Lives as long as the process.
  static MpiSession& OfProcess();

  // Begins MPI, once. Errors: those of MpiLibrary; DeadlineExceeded, also where
  // another call waits for it already; those of the control plane.
  void Begin(Deadline deadline, const ControlPlane& control);

  // REQUIRES, of all that follow: it has begun.
  int rank() const { return mpi_->rank(); }
  int size() const { return mpi_->size(); }
  // The first tags that no group of this process has had.
  int free_tag();
  void UseTagsBelow(int tag);

  MpiMessage Send(int to, int tag, std::shared_ptr<const std::byte> data,
                  size_t bytes);
  MpiMessage Receive(int from, int tag, std::shared_ptr<std::byte> memory,
                     size_t capacity);
  // Whether it is done; its memory is let go then, or at an error.
  bool Done(MpiMessage& message);
  // It is not polled any more. MPI may read or write its memory until it is
  // done, so that is held until then, or for ever.
  void Abandon(MpiMessage message);

 private:
  enum class State { kNew, kBeginning, kBegun, kEnding, kEnded };

  void Live();
  void EndWithProcess();
  void Sweep();
  MpiLibrary& Mpi();

  std::mutex state_mutex_;
  std::condition_variable changed_;
  State state_ = State::kNew;
  std::optional<Error> error_;  // why it has not begun

  std::mutex mutex_;  // of MPI and what follows
  MpiLibrary* mpi_ = nullptr;
  int free_tag_ = 0;
  std::vector<MpiMessage> abandoned_;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_SESSION_H_
