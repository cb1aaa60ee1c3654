// The functions of NCCL that this project uses, as an interface: with a fake,
// deadlines and failures are tested on machines without a GPU. Also NCCL's
// failures as typed errors, on which GPUs it accepts ranks, and how ranks agree
// on a communicator's id.
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_API_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_API_H_

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reference/base/error.h"
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

// Identifies a communicator while its ranks connect.
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
  // Whether the GPU has passed it, or never will because of an error on it.
  virtual bool Done() = 0;
};

// Calls do what NCCL documents for a non-blocking communicator: they return at
// once, possibly kInProgress, and GetAsyncError reports how they ended.
// NcclLibrary (nccl_library.h) is the real one.
class NcclApi {
 public:
  virtual ~NcclApi() = default;

  // The version of the loaded library, as NCCL encodes it: 22809 is 2.28.9.
  virtual int Version() = 0;
  virtual NcclStatus GetUniqueId(NcclUniqueId* id) = 0;
  virtual std::string LastError(NcclComm comm) = 0;

  // Between the two, one thread's calls are collected; they begin together.
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

  // The end of the work in `stream` now; nullptr while the stream is captured
  // into a graph, because there is nothing to wait for yet.
  virtual std::unique_ptr<NcclEvent> Record(int gpu, NcclStream stream) = 0;
};

// "remote error".
std::string_view NcclStatusName(NcclStatus status);

// "2.28.9" for 22809.
std::string FormatNcclVersion(int version);

// Neither success nor in progress.
constexpr bool IsNcclFailure(NcclStatus status) {
  return status != NcclStatus::kSuccess && status != NcclStatus::kInProgress;
}

// "[AllReduce] NCCL: remote error (<detail>)". A lost rank, machine or link is
// Unavailable, a caller's mistake InvalidArgument, and the rest Internal.
// REQUIRES: IsNcclFailure(status).
Error NcclFailure(std::string_view operation, NcclStatus status,
                  std::string_view detail);

// Throws NcclFailure if IsNcclFailure(status).
void CheckNccl(std::string_view operation, NcclStatus status,
               std::string_view detail = "");

// The features of the loaded NCCL.
struct NcclFeatures {
  int version = 0;              // 22809 is 2.28.9
  bool multi_rank_gpu = false;  // NCCL_MULTI_RANK_GPU_ENABLE=1 is set

  // Several ranks may share a GPU: from 2.30 on, if it is enabled.
  bool AllowsManyRanksPerGpu() const {
    return version >= 23000 && multi_rank_gpu;
  }
};

// Whether the environment has NCCL_MULTI_RANK_GPU_ENABLE=1.
bool NcclMultiRankGpuEnabled();

// Checks that NCCL accepts ranks on these physical GPUs, `gpus[rank]`. Errors:
// InvalidArgument, with what is needed, if two ranks share a GPU and NCCL does
// not allow it.
void CheckRankPlacement(std::span<const int> gpus, const NcclFeatures& nccl);

// How the processes of a communicator agree on its id.
//
//   InProcessNcclIdExchange exchange;          // one process
//   NcclUniqueId id = exchange.Exchange(/*root=*/true, make, deadline);
//
// The party with rank 0 makes the id; all others receive it. There is one class
// per way to send it.
class NcclIdExchange {
 public:
  using MakeId = std::function<NcclUniqueId()>;

  virtual ~NcclIdExchange() = default;

  // Returns the id, once the root has made it with `make`. Each party calls it
  // once. Errors: on the root, those of `make`; on the others, Unavailable if
  // the root failed; DeadlineExceeded if there is no id by the deadline.
  virtual NcclUniqueId Exchange(bool root, const MakeId& make,
                                std::chrono::milliseconds deadline) = 0;
};

// Among threads of one process, or for a single party.
class InProcessNcclIdExchange : public NcclIdExchange {
 public:
  NcclUniqueId Exchange(bool root, const MakeId& make,
                        std::chrono::milliseconds deadline) override;

 private:
  NcclUniqueId Make(const MakeId& make);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<NcclUniqueId> id_;
  bool failed_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_NCCL_NCCL_API_H_
