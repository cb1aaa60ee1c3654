// Registers the GPU backend's collectives: sums over logical GPUs, and NCCL.

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "reference/collectives/cuda/sum_pieces.h"
#include "reference/collectives/gpu_collectives.h"
#include "reference/collectives/nccl/nccl_communicator.h"
#include "reference/collectives/nccl/nccl_group.h"
#include "reference/collectives/nccl/nccl_library.h"
#include "reference/collectives/nccl/nccl_workers.h"
#include "reference/device/buffer.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"

namespace lockstep::cuda {

// See GpuCollectives::Sum. The GPU that computes the sum uses its own memory
// directly; values of other GPUs are copied to it, and results copied back.
// Streams wait for each other by events; the host does not wait.
void QueueSum(const collectives_internal::GpuSum& sum);

using collectives_internal::GpuSum;
using collectives_internal::SumArguments;

namespace {

constexpr char kName[] = "[AllReduce]";
constexpr size_t kAlignment = 64;

size_t BytesOf(const SumArguments& piece) {
  return static_cast<size_t>(piece.count) * DTypeSize(piece.dtype);
}

// Memory that only a device's communication stream uses, in its order: the
// compute stream does not get memory that is freed here. Lives as long as the
// devices.
MemoryPool& CommunicationPool(const Device& device) {
  static std::mutex mutex;
  static auto* pools =
      new std::map<const Device*, std::unique_ptr<MemoryPool>>();
  std::lock_guard lock(mutex);
  std::unique_ptr<MemoryPool>& pool = (*pools)[&device];
  if (!pool) pool = std::make_unique<MemoryPool>(CudaMemory::Of(device));
  return *pool;
}

// A block for work in `stream`. It may be freed as soon as the work is queued.
std::shared_ptr<void> Allocate(Device& on, DeviceStream stream, size_t bytes) {
  if (stream == DeviceStream::kCompute) {
    const BufferPtr buffer = Buffer::Allocate(on, bytes);
    return {buffer->data(), [buffer](void*) {}};
  }
  MemoryPool& pool = CommunicationPool(on);
  return {pool.Allocate(bytes),
          [&pool, bytes](void* block) { pool.Free(block, bytes); }};
}

// Memory on one device for pieces on another GPU.
class Staging {
 public:
  explicit Staging(const GpuSum& sum) {
    size_t bytes = 0;
    for (const SumArguments& piece : sum.pieces) {
      bytes += Rounded(BytesOf(piece));
    }
    block_ = Allocate(*sum.on, sum.stream, bytes);
  }

  void* Next(const SumArguments& piece) {
    void* place = static_cast<std::byte*>(block_.get()) + used_;
    used_ += Rounded(BytesOf(piece));
    return place;
  }

 private:
  static size_t Rounded(size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  std::shared_ptr<void> block_;
  size_t used_ = 0;
};

// The pieces with pointers that one GPU can use: data on other GPUs is replaced
// by staging memory, which lives as long as this object.
class LocalSum {
 public:
  explicit LocalSum(const GpuSum& sum)
      : sum_(sum), pieces_(sum.pieces), gpu_(CudaMemory::Of(*sum.on).gpu()) {
    for (size_t i = 0; i < sum.from.size(); ++i) {
      if (IsElsewhere(*sum.from[i])) BringInput(i);
    }
    for (size_t i = 0; i < sum.to.size(); ++i) {
      if (IsElsewhere(*sum.to[i])) RedirectOutput(i);
    }
  }

  const std::vector<SumArguments>& pieces() const { return pieces_; }

  // Copies staged outputs to their destinations.
  void SendOutputs() const {
    for (size_t i = 0; i < sum_.to.size(); ++i) {
      if (!IsElsewhere(*sum_.to[i])) continue;
      for (size_t p = 0; p < pieces_.size(); ++p) {
        Copy(sum_.pieces[p].outputs[i], *sum_.to[i], pieces_[p].outputs[i],
             *sum_.on, BytesOf(pieces_[p]));
      }
    }
  }

 private:
  bool IsElsewhere(const Device& device) const {
    return CudaMemory::Of(device).gpu() != gpu_;
  }

  void Copy(void* to, const Device& to_device, const void* from,
            const Device& from_device, size_t bytes) const {
    CheckCuda(cudaMemcpyPeerAsync(to, CudaMemory::Of(to_device).gpu(), from,
                                  CudaMemory::Of(from_device).gpu(), bytes,
                                  StreamOf(*sum_.on, sum_.stream)),
              kName);
  }

  void BringInput(size_t i) {
    Staging& staging = staging_.emplace_back(sum_);
    for (SumArguments& piece : pieces_) {
      void* place = staging.Next(piece);
      Copy(place, *sum_.on, piece.inputs[i], *sum_.from[i], BytesOf(piece));
      piece.inputs[i] = place;
    }
  }

  void RedirectOutput(size_t i) {
    Staging& staging = staging_.emplace_back(sum_);
    for (SumArguments& piece : pieces_) piece.outputs[i] = staging.Next(piece);
  }

  const GpuSum& sum_;
  std::vector<SumArguments> pieces_;
  const int gpu_;
  std::vector<Staging> staging_;
};

}  // namespace

void QueueSum(const GpuSum& sum) {
  std::set<Device*> others(sum.from.begin(), sum.from.end());
  others.insert(sum.to.begin(), sum.to.end());
  others.erase(sum.on);
  DeviceStreams& own = sum.on->memory()->streams();
  for (const Device* other : others) {
    Follow(own, other->memory()->streams(), sum.stream);
  }
  LocalSum local(sum);
  CheckCuda(SumPieces(StreamOf(*sum.on, sum.stream), local.pieces()), kName);
  local.SendOutputs();
  // From here on inputs may be freed and outputs read.
  for (const Device* other : others) {
    Follow(other->memory()->streams(), own, sum.stream);
  }
}

}  // namespace lockstep::cuda

namespace lockstep::collectives_internal {

namespace {

constexpr auto kStreamOf = [](const Device& device, DeviceStream stream) {
  return StreamOf(device, stream);
};

class CudaCollectives final : public GpuCollectives {
 public:
  void Sum(const GpuSum& sum) override { cuda::QueueSum(sum); }

  int PhysicalGpu(const Device& device) override {
    return CudaMemory::Of(device).gpu();
  }

  std::optional<NcclFeatures> Nccl() override {
    return NcclFeatures{.version = NcclLibrary().Version(),
                        .multi_rank_gpu = NcclMultiRankGpuEnabled()};
  }

  std::vector<std::unique_ptr<Group>> MakeNccl(
      const std::vector<Device*>& devices,
      const std::shared_ptr<Rendezvous>& rendezvous) override {
    std::vector<NcclMember> members;
    for (const Device* device : devices) {
      const int rank = static_cast<int>(members.size());
      members.push_back({.rank = rank, .gpu = PhysicalGpu(*device)});
    }
    InProcessNcclIdExchange exchange;
    const auto communicator = std::make_shared<NcclCommunicator>(
        NcclLibrary(), static_cast<int>(members.size()), members, exchange);
    std::vector<std::unique_ptr<Group>> groups;
    for (Device* device : devices) {
      groups.push_back(std::make_unique<NcclGroup>(
          rendezvous, static_cast<int>(groups.size()), communicator, *device,
          kStreamOf));
    }
    return groups;
  }

  std::shared_ptr<GpuSums> MakeNcclBetween(
      ControlPlane& control, Device& device,
      std::chrono::milliseconds connect_limit) override {
    ControlPlaneNcclIdExchange exchange(control);
    auto communicator = std::make_unique<NcclCommunicator>(
        NcclLibrary(), control.num_workers(),
        std::vector<NcclMember>{
            {.rank = control.worker().value(), .gpu = PhysicalGpu(device)}},
        exchange, NcclOptions{.connect_limit = connect_limit});
    return std::make_shared<NcclSums>(
        std::move(communicator),
        NcclRank(control.worker().value(), device, kStreamOf));
  }
};

[[maybe_unused]] const bool registered = [] {
  SetGpuCollectives(new CudaCollectives);
  return true;
}();

}  // namespace
}  // namespace lockstep::collectives_internal
