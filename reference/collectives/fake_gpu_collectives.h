// Collectives of fake GPUs, for tests: the CPU's kernel computes the sums,
// which are recorded. Like other fake GPU work they run at once, or in their
// simulated stream if it is not kCompute, or when a graph that has captured
// them is launched.
//
//   FakeGpuCollectives fake(3);      // registered while it lives
//   group.AllReduce(ReduceOp::kSum, {x.To(fake.gpu(0))}, {});
//   fake.sums()[0].on;               // which GPU did it
#ifndef LOCKSTEP_REFERENCE_COLLECTIVES_FAKE_GPU_COLLECTIVES_H_
#define LOCKSTEP_REFERENCE_COLLECTIVES_FAKE_GPU_COLLECTIVES_H_

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "reference/collectives/gpu_collectives.h"
#include "reference/collectives/group.h"
#include "reference/collectives/rendezvous.h"
#include "reference/device/fake_gpu.h"

namespace lockstep {

class FakeGpuCollectives : public collectives_internal::GpuCollectives {
 public:
  explicit FakeGpuCollectives(
      int gpus, FakeGpu::HostAccess access = FakeGpu::HostAccess::kFaults) {
    for (int i = 0; i < gpus; ++i) {
      gpus_.push_back(std::make_unique<FakeGpu>(i, size_t{8} << 20, access));
    }
    before_ = collectives_internal::SetGpuCollectives(this);
  }
  ~FakeGpuCollectives() override {
    collectives_internal::SetGpuCollectives(before_);
  }

  Device& gpu(int i) { return gpus_[i]->device(); }
  // See FakeGpu.
  void FailNextLaunch(int i) { gpus_[i]->FailNextLaunch(); }
  SimulatedStreams& streams(int i) { return gpus_[i]->streams(); }
  std::vector<collectives_internal::GpuSum> sums() {
    std::lock_guard lock(mutex_);
    return sums_;
  }

  // The backend's answers. physical[i] is the GPU that gpu(i) is on.
  std::optional<NcclFeatures> nccl = std::nullopt;
  std::vector<int> physical = {0, 1, 2, 3, 4, 5, 6, 7};
  std::function<std::vector<std::unique_ptr<Group>>(
      const std::shared_ptr<Rendezvous>&)>
      make_nccl;
  std::function<std::shared_ptr<collectives_internal::GpuSums>(ControlPlane&,
                                                               Device&)>
      make_nccl_between;

  void Sum(const collectives_internal::GpuSum& sum) override {
    {
      std::lock_guard lock(mutex_);
      sums_.push_back(sum);
    }
    FakeStream& stream = FakeGpu::StreamOf(*sum.on);
    if (stream.recording() || sum.stream == DeviceStream::kCompute) {
      return stream.Submit([this, sum] { Run(sum); });
    }
    Find(*sum.on).streams().Submit(sum.stream, "sum",
                                   [this, sum] { Run(sum); });
  }
  int PhysicalGpu(const Device& device) override {
    return physical[device.index()];
  }
  std::optional<NcclFeatures> Nccl() override { return nccl; }
  std::shared_ptr<collectives_internal::GpuSums> MakeNcclBetween(
      ControlPlane& control, Device& device,
      std::chrono::milliseconds) override {
    return make_nccl_between(control, device);
  }
  std::vector<std::unique_ptr<Group>> MakeNccl(
      const std::vector<Device*>&,
      const std::shared_ptr<Rendezvous>& rendezvous) override {
    return make_nccl(rendezvous);
  }

 private:
  void Run(const collectives_internal::GpuSum& sum) {
    for (collectives_internal::SumArguments piece : sum.pieces) {
      for (size_t i = 0; i < piece.inputs.size(); ++i) {
        piece.inputs[i] = Find(*sum.from[i]).View(Bytes(piece.inputs[i]));
      }
      for (size_t i = 0; i < piece.outputs.size(); ++i) {
        piece.outputs[i] = const_cast<std::byte*>(
            Find(*sum.to[i]).View(Bytes(piece.outputs[i])));
      }
      SumInto(piece);
    }
  }
  static const std::byte* Bytes(const void* pointer) {
    return static_cast<const std::byte*>(pointer);
  }
  FakeGpu& Find(const Device& device) {
    for (const auto& gpu : gpus_) {
      if (&gpu->device() == &device) return *gpu;
    }
    throw std::logic_error("no fake GPU " + device.name());
  }

  std::vector<std::unique_ptr<FakeGpu>> gpus_;
  collectives_internal::GpuCollectives* before_;
  std::mutex mutex_;
  std::vector<collectives_internal::GpuSum> sums_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_COLLECTIVES_FAKE_GPU_COLLECTIVES_H_
