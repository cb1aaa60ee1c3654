// The functions of MPI that this project uses, in this machine's Open MPI.
//
//   MpiLibrary& mpi = MpiLibrary::OfMachine();
//   mpi.Begin();                         // with all processes of the launcher
//   MpiRequest request = mpi.Send(data, 4, /*to=*/1, /*tag=*/7);
//   while (!mpi.Done(request)) {}
//   mpi.End();
//
// The library is loaded on first use, so other programs do not need it. Only
// Begin and End wait for other processes. One thread at a time calls it. MPI
// failures are errors and never end the process: Unavailable, or DataLoss for a
// message that is longer than its receive.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_LIBRARY_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_LIBRARY_H_

#include <cstddef>

namespace lockstep::collectives_internal {

using MpiRequest = void*;  // MPI_Request

class MpiLibrary {
 public:
  // Lives as long as the process. Errors: FailedPrecondition if there is no
  // Open MPI.
  static MpiLibrary& OfMachine();

  // Initializes MPI unless the program has, and waits for all processes that
  // the launcher started. Errors: FailedPrecondition if MPI was initialized
  // without support for several threads, or has been finalized.
  void Begin();
  // Finalizes MPI if Begin initialized it. Does not wait for the others' End.
  void End();

  // REQUIRES, here and below: between Begin and End.
  int rank() const { return rank_; }
  int size() const { return size_; }

  // REQUIRES: the memory stays valid until the request is done.
  MpiRequest Send(const void* data, size_t bytes, int to, int tag);
  MpiRequest Receive(void* memory, size_t capacity, int from, int tag);
  // Whether it is done; the request is then released. Lets MPI make progress.
  bool Done(MpiRequest& request);
  // Cancels a receive that no message has matched yet; it is then done.
  void Cancel(MpiRequest& request);

 private:
  bool is_ours_ = false;  // End finalizes it
  void* communicator_ = nullptr;
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_LIBRARY_H_
