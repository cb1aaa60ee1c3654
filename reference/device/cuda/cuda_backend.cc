// Registers this machine's GPUs with the device list, and timers of CUDA events
// for device_timer.h.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/device/cuda/cuda_streams.h"
#include "reference/device/device_timer.h"
#include "reference/device/gpu_backend.h"

namespace lockstep {
namespace {

using Events = std::vector<std::unique_ptr<CudaEvent>>;

std::unique_ptr<CudaEvent> MakeEvent() {
  return std::make_unique<CudaEvent>(CudaEvent::Timing::kYes);
}

// nullopt if one of them was not recorded or not reached.
std::optional<float> Milliseconds(const CudaEvent& from, const CudaEvent& to) {
  float milliseconds = 0;
  const cudaError_t status =
      cudaEventElapsedTime(&milliseconds, from.get(), to.get());
  if (status == cudaErrorNotReady || status == cudaErrorInvalidResourceHandle) {
    cudaGetLastError();  // clears the error
    return std::nullopt;
  }
  CheckCuda(status, "[DeviceTimer] elapsed time");
  return milliseconds;
}

class CudaDeviceTimer final : public DeviceTimer {
 public:
  CudaDeviceTimer(Device& device, int marks)
      : memory_(CudaMemory::Of(device)), marks_(marks) {
    const CudaStream& stream = memory_.stream();  // makes the GPU current
    Events points;
    for (int i = 0; i < ClockReading::kAttempts; ++i) {
      points.push_back(MakeEvent());
    }
    const ClockReading reading = ReadClock([&](int attempt) {
      points[attempt]->Record(stream);
      stream.Synchronize();
    });
    origin_ = std::move(points[reading.attempt]);
    origin_time_ = reading.time;
    Refill();
  }

  void Begin() override {
    const CudaStream& stream = memory_.stream();
    capturing_ = IsCapturing(stream);
    row_ = capturing_ ? RowOfCapture() : ring_[next_++ % ring_.size()].get();
    points_ = 0;
    Record(stream);
  }

  void Mark() override {
    LOCKSTEP_CHECK(row_ != nullptr && points_ <= marks_);
    Record(memory_.stream());
  }

  std::vector<Row> TakeReached() override {
    memory_.stream();  // makes the GPU current
    std::vector<Row> rows;
    for (const auto* list : {&ring_, &captured_}) {
      for (const std::unique_ptr<EventRow>& events : *list) {
        if (std::optional<Row> row = Take(*events)) rows.push_back(*row);
      }
    }
    std::ranges::sort(rows, {}, &Row::start);
    Refill();
    return rows;
  }

 private:
  struct EventRow {
    Events events;
    float taken_start = -1;  // a row with another start is a new one
  };

  static bool IsCapturing(const CudaStream& stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CheckCuda(cudaStreamIsCapturing(stream.get(), &status),
              "[DeviceTimer] ask whether a step is captured");
    return status == cudaStreamCaptureStatusActive;
  }

  // A captured step keeps its row forever: its replays record these events.
  EventRow* RowOfCapture() {
    LOCKSTEP_CHECK(ring_.size() > 1);
    captured_.push_back(std::move(ring_.back()));
    ring_.pop_back();
    return captured_.back().get();
  }

  // Without the flag, an event recorded in a capture is only a dependency and
  // has no time.
  void Record(const CudaStream& stream) {
    CheckCuda(
        cudaEventRecordWithFlags(
            row_->events[points_++]->get(), stream.get(),
            capturing_ ? cudaEventRecordExternal : cudaEventRecordDefault),
        "[DeviceTimer] mark");
  }

  std::optional<Row> Take(EventRow& row) const {
    const std::optional<float> start = Milliseconds(*origin_, *row.events[0]);
    if (!start || *start == row.taken_start) return std::nullopt;
    using HostMilliseconds = std::chrono::duration<float, std::milli>;
    Row taken{origin_time_ + std::chrono::duration_cast<Clock::duration>(
                                 HostMilliseconds(*start)),
              {}};
    for (int i = 1; i <= marks_; ++i) {
      const auto passed = Milliseconds(*row.events[i - 1], *row.events[i]);
      if (!passed || *passed < 0) return std::nullopt;  // a step broke off
      taken.seconds.push_back(*passed / 1000.0);
    }
    row.taken_start = *start;
    return taken;
  }

  // Makes events in advance: none can be made while a step is captured.
  void Refill() {
    while (ring_.size() < kRows) {
      auto row = std::make_unique<EventRow>();
      for (int i = 0; i <= marks_; ++i) row->events.push_back(MakeEvent());
      ring_.push_back(std::move(row));
    }
  }

  CudaMemory& memory_;
  const int marks_;
  std::unique_ptr<CudaEvent> origin_;
  Clock::time_point origin_time_;
  std::vector<std::unique_ptr<EventRow>> ring_;
  std::vector<std::unique_ptr<EventRow>> captured_;
  size_t next_ = 0;
  EventRow* row_ = nullptr;  // started by Begin
  int points_ = 0;           // recorded in it
  bool capturing_ = false;
};

std::unique_ptr<DeviceTimer> Make(Device& device, int marks) {
  return std::make_unique<CudaDeviceTimer>(device, marks);
}

[[maybe_unused]] const RegisterKernel registered(gpu::MakeDeviceTimer, &Make);

}  // namespace
}  // namespace lockstep

namespace lockstep::device_internal {

namespace {

class CudaBackend final : public GpuBackend {
 public:
  // Never destroyed: tensors, and with them devices, may outlive all other
  // objects.
  static CudaBackend& Get() {
    static CudaBackend* backend = new CudaBackend;
    return *backend;
  }

  std::vector<Device*> List() override { return gpus_.List(); }

  std::string WhyNoGpu() override {
    return device_internal::WhyNoGpu(status_, count_);
  }

  void SetLogicalDevices(int gpu, int count) override {
    if (count_ == 0) {
      throw NotFound("[SetLogicalGpuDevices] no GPU {} ({})", gpu, WhyNoGpu());
    }
    gpus_.SetCount(gpu, count);
  }

 private:
  CudaBackend()
      : status_(cudaGetDeviceCount(&count_)),
        gpus_(count_, [this](int gpu, int index) { return Make(gpu, index); }) {
    cudaGetLastError();  // "no device" is not an error here
  }

  std::unique_ptr<Device> Make(int gpu, int index) {
    return std::make_unique<Device>(
        DeviceKind::kGpu, index, std::make_unique<CudaMemory>(gpu, [this, gpu] {
          for (Device* device : gpus_.MadeOn(gpu)) device->pool().Trim();
        }));
  }

  int count_ = 0;
  cudaError_t status_;
  LogicalGpus gpus_;
};

// Calls the driver only when devices are first listed.
class DeferredCudaBackend final : public GpuBackend {
 public:
  std::vector<Device*> List() override { return CudaBackend::Get().List(); }
  std::string WhyNoGpu() override { return CudaBackend::Get().WhyNoGpu(); }
  void SetLogicalDevices(int gpu, int count) override {
    CudaBackend::Get().SetLogicalDevices(gpu, count);
  }
};

[[maybe_unused]] const bool registered = [] {
  SetGpuBackend(new DeferredCudaBackend);
  return true;
}();

}  // namespace
}  // namespace lockstep::device_internal
