// What this project uses of MPI, as the Open MPI of this machine does it.
//
//   MpiLibrary& mpi = MpiLibrary::OfMachine();
//   mpi.Begin();                         // with all that mpirun started
//   MpiRequest request = mpi.Send(data, 4, /*to=*/1, /*tag=*/7);
//   while (!mpi.Done(request)) {}
//   mpi.End();
//
// It is loaded on first use: a program that does not use it is neither slower
// nor in need of it. No call but Begin and End waits for other processes. One
// thread at a time calls it. MPI failures are reported as errors, and never end
// the process: Unavailable, DataLoss for a message that finds too little room.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_LIBRARY_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_LIBRARY_H_

#include <cstddef>

namespace lockstep::collectives_internal {

using MpiRequest = void*;  // MPI_Request

class MpiLibrary {
 public:
  // Lives as long as the process. Errors: FailedPrecondition where there is
  // none.
  static MpiLibrary& OfMachine();

  // Begins MPI where the program has not, and waits for all processes that the
  // launcher started. Errors: FailedPrecondition where MPI must not be called
  // from several threads, or has been ended.
  void Begin();
  // Ends what Begin began. Does not wait for the others' End.
  void End();

  // REQUIRES, of all that follow: between Begin and End.
  int rank() const { return rank_; }
  int size() const { return size_; }

  // REQUIRES: the memory stays until it is done.
  MpiRequest Send(const void* data, size_t bytes, int to, int tag);
  MpiRequest Receive(void* memory, size_t capacity, int from, int tag);
  // Whether it is done; the request is then released. Moves messages along.
  bool Done(MpiRequest& request);
  // A receive that no message has matched yet is then done.
  void Cancel(MpiRequest& request);

 private:
  bool is_ours_ = false;  // to be ended
  void* communicator_ = nullptr;
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace lockstep::collectives_internal

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_MPI_MPI_LIBRARY_H_
