#include "reference/collectives/nccl/nccl_library.h"

#include <nccl.h>

#include <cstring>

#include "reference/base/check.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_streams.h"

namespace lockstep {
namespace {

static_assert(static_cast<int>(NcclStatus::kRemoteError) == ncclRemoteError);
static_assert(static_cast<int>(NcclStatus::kInProgress) == ncclInProgress);
static_assert(sizeof(NcclUniqueId) == sizeof(ncclUniqueId));

NcclStatus StatusOf(ncclResult_t result) {
  return static_cast<NcclStatus>(result);
}

ncclComm_t Native(NcclComm comm) { return static_cast<ncclComm_t>(comm); }

cudaStream_t NativeStream(NcclStream stream) {
  return static_cast<cudaStream_t>(stream);
}

ncclDataType_t TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return ncclFloat32;
    case DType::kFloat64:
      return ncclFloat64;
    case DType::kBFloat16:
      return ncclBfloat16;
    case DType::kFloat16:
      return ncclFloat16;
    case DType::kInt32:
      return ncclInt32;
    case DType::kInt64:
      return ncclInt64;
    default:
      LOCKSTEP_CHECK(dtype == DType::kUInt8 || dtype == DType::kBool);
      return ncclUint8;
  }
}

void MakeCurrent(int gpu) {
  CheckCuda(cudaSetDevice(gpu), "[NcclCommunicator] choose the GPU");
}

class Event : public NcclEvent {
 public:
  explicit Event(NcclStream stream) {
    CheckCuda(cudaEventRecord(event_.get(), NativeStream(stream)),
              "[NcclCommunicator] event");
  }
  bool Done() override {
    return cudaEventQuery(event_.get()) != cudaErrorNotReady;
  }

 private:
  CudaEvent event_;
};

class Library : public NcclApi {
 public:
  int Version() override {
    int version = 0;
    ncclGetVersion(&version);
    return version;
  }
  NcclStatus GetUniqueId(NcclUniqueId* id) override {
    ncclUniqueId native;
    const ncclResult_t result = ncclGetUniqueId(&native);
    std::memcpy(id->bytes.data(), &native, sizeof(native));
    return StatusOf(result);
  }
  std::string LastError(NcclComm comm) override {
    return ncclGetLastError(Native(comm));
  }
  NcclStatus GroupStart() override { return StatusOf(ncclGroupStart()); }
  NcclStatus GroupEnd() override { return StatusOf(ncclGroupEnd()); }

  NcclStatus InitRank(NcclComm* comm, int ranks, const NcclUniqueId& id,
                      int rank, int gpu) override {
    MakeCurrent(gpu);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclUniqueId native;
    std::memcpy(&native, id.bytes.data(), sizeof(native));
    // NCCL writes the handle asynchronously, so its address must stay valid.
    return StatusOf(ncclCommInitRankConfig(reinterpret_cast<ncclComm_t*>(comm),
                                           ranks, native, rank, &config));
  }
  NcclStatus GetAsyncError(NcclComm comm, NcclStatus* error) override {
    ncclResult_t native = ncclSuccess;
    const ncclResult_t result = ncclCommGetAsyncError(Native(comm), &native);
    *error = StatusOf(native);
    return StatusOf(result);
  }
  NcclStatus Finalize(NcclComm comm) override {
    return StatusOf(ncclCommFinalize(Native(comm)));
  }
  NcclStatus Destroy(NcclComm comm) override {
    return StatusOf(ncclCommDestroy(Native(comm)));
  }
  NcclStatus Abort(NcclComm comm) override {
    return StatusOf(ncclCommAbort(Native(comm)));
  }

  NcclStatus AllReduceSum(const void* in, void* out, size_t count, DType dtype,
                          NcclComm comm, NcclStream stream) override {
    return StatusOf(ncclAllReduce(in, out, count, TypeOf(dtype), ncclSum,
                                  Native(comm), NativeStream(stream)));
  }

  std::unique_ptr<NcclEvent> Record(int gpu, NcclStream stream) override {
    MakeCurrent(gpu);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CheckCuda(cudaStreamIsCapturing(NativeStream(stream), &status),
              "[NcclCommunicator] stream");
    if (status != cudaStreamCaptureStatusNone) return nullptr;
    return std::make_unique<Event>(stream);
  }
};

}  // namespace

NcclApi& NcclLibrary() {
  static auto* library = new Library;
  return *library;
}

}  // namespace lockstep
