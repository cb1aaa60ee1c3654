// What this project uses of NCCL, as an interface: tests put a fake in its
// place, so that deadlines and failures are tested on machines without a GPU.
//
// Calls mean what NCCL's documentation says of a non-blocking communicator:
// they return at once, kInProgress included, and GetAsyncError tells how they
// ended. NcclLibrary (nccl_library.h) is the real one.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_API_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_API_H_

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "reference/tensor/dtype.h"

namespace lockstep {

// NCCL's results, in its order.
enum class NcclStatus {
  kSuccess,
  kUnhandledCudaError,
  kSystemError,
  kInternalError,
  kInvalidArgument,
  kInvalidUsage,
  kRemoteError,
  kInProgress,
};

// Names a communicator while its ranks find each other.
struct NcclUniqueId {
  std::array<char, 128> bytes{};

  bool operator==(const NcclUniqueId&) const = default;
};

using NcclComm = void*;    // ncclComm_t
using NcclStream = void*;  // cudaStream_t

// A place in a stream.
class NcclEvent {
 public:
  virtual ~NcclEvent() = default;
  // The GPU has passed it, or never will because of an error on that GPU.
  virtual bool Done() = 0;
};

class NcclApi {
 public:
  virtual ~NcclApi() = default;

  // Of the library that was loaded, as NCCL codes it: 22809 is 2.28.9.
  virtual int Version() = 0;
  virtual NcclStatus GetUniqueId(NcclUniqueId* id) = 0;
  virtual std::string LastError(NcclComm comm) = 0;

  // Between the two, calls of one thread are collected and begin together.
  virtual NcclStatus GroupStart() = 0;
  virtual NcclStatus GroupEnd() = 0;

  // Non-blocking, on GPU `gpu`.
  virtual NcclStatus InitRank(NcclComm* comm, int ranks, const NcclUniqueId& id,
                              int rank, int gpu) = 0;
  virtual NcclStatus GetAsyncError(NcclComm comm, NcclStatus* error) = 0;
  virtual NcclStatus Finalize(NcclComm comm) = 0;
  virtual NcclStatus Destroy(NcclComm comm) = 0;
  virtual NcclStatus Abort(NcclComm comm) = 0;

  virtual NcclStatus AllReduceSum(const void* in, void* out, size_t count,
                                  DType dtype, NcclComm comm,
                                  NcclStream stream) = 0;
  virtual NcclStatus Broadcast(const void* in, void* out, size_t count,
                               DType dtype, int root, NcclComm comm,
                               NcclStream stream) = 0;
  // `count` elements of each rank.
  virtual NcclStatus AllGather(const void* in, void* out, size_t count,
                               DType dtype, NcclComm comm,
                               NcclStream stream) = 0;

  // The end of what is in `stream` now; nullptr while the stream is captured
  // into a graph, when there is nothing to wait for yet.
  virtual std::unique_ptr<NcclEvent> Record(int gpu, NcclStream stream) = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_API_H_
