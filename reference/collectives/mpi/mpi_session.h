// MPI in this process, from the first group on, and its messages in transit.
//
//   MpiSession& session = MpiSession::OfProcess();
//   session.Begin(deadline, control);             // on all workers
//   MpiMessage message = session.Send(1, tag, data, bytes);
//   while (!session.Done(message)) {}
//   session.Abandon(std::move(message));          // or stop waiting for it
//
// The session's own thread makes the MPI calls that wait for other processes,
// so no caller hangs if one does not return. Thread-safe; one thread at a time
// calls MPI.
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

// A message in transit, which keeps its memory.
struct MpiMessage {
  MpiRequest request = nullptr;  // nullptr: it is done
  bool is_receive = false;
  std::shared_ptr<const std::byte> memory = nullptr;
};

class MpiSession {
 public:
  // Lives as long as the process.
  static MpiSession& OfProcess();

  // Initializes MPI, once. Errors: those of MpiLibrary; DeadlineExceeded, also
  // if another call already waits for it; those of the control plane.
  void Begin(Deadline deadline, const ControlPlane& control);

  // REQUIRES, here and below: Begin has returned.
  int rank() const { return mpi_->rank(); }
  int size() const { return mpi_->size(); }
  // The first tag that no group of this process has used.
  int free_tag();
  void UseTagsBelow(int tag);

  MpiMessage Send(int to, int tag, std::shared_ptr<const std::byte> data,
                  size_t bytes);
  MpiMessage Receive(int from, int tag, std::shared_ptr<std::byte> memory,
                     size_t capacity);
  // Whether it is done. Releases its memory then, or on an error.
  bool Done(MpiMessage& message);
  // Stops polling the message. MPI may use its memory until it is done, so the
  // memory is kept until then, or forever.
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
  std::optional<Error> error_;  // why MPI was not initialized

  std::mutex mutex_;  // guards MPI and the members below
  MpiLibrary* mpi_ = nullptr;
  int free_tag_ = 0;
  std::vector<MpiMessage> abandoned_;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_SESSION_H_
