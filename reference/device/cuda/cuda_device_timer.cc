// The DeviceTimer of CUDA events, registered during static initialization.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "reference/base/check.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/device/cuda/cuda_streams.h"
#include "reference/device/device.h"
#include "reference/device/device_kernel.h"
#include "reference/device/device_timer.h"

namespace lockstep {
namespace {

using Events = std::vector<std::unique_ptr<CudaEvent>>;

std::unique_ptr<CudaEvent> MakeEvent() {
  return std::make_unique<CudaEvent>(CudaEvent::Timing::kYes);
}

// The time between two events; nullopt if either was not recorded or has not
// completed.
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
    Events events;
    for (int i = 0; i < ClockReading::kAttempts; ++i) {
      events.push_back(MakeEvent());
    }
    const ClockReading reading = ReadClock([&](int attempt) {
      events[attempt]->Record(stream);
      stream.Synchronize();
    });
    origin_ = std::move(events[reading.attempt]);
    origin_time_ = reading.time;
    Refill();
  }

  void Begin() override {
    const CudaStream& stream = memory_.stream();
    capturing_ = IsCapturing(stream);
    row_ = capturing_ ? RowOfCapture() : ring_[next_++ % ring_.size()].get();
    num_recorded_ = 0;
    Record(stream);
  }

  void Mark() override {
    LOCKSTEP_CHECK(row_ != nullptr && num_recorded_ <= marks_);
    Record(memory_.stream());
  }

  std::vector<Row> TakeReached() override {
    memory_.stream();  // makes the GPU current
    std::vector<Row> rows;
    for (const auto* list : {&ring_, &captured_}) {
      for (const std::unique_ptr<EventRow>& events : *list) {
        if (std::optional<Row> row = ReadRow(*events)) rows.push_back(*row);
      }
    }
    std::ranges::sort(rows, {}, &Row::start);
    Refill();
    return rows;
  }

 private:
  struct EventRow {
    Events events;
    // Start, in ms after origin_, of the last reading returned; -1 if none. A
    // replay re-records the row with another start.
    float taken_start = -1;
  };

  static bool IsCapturing(const CudaStream& stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    CheckCuda(cudaStreamIsCapturing(stream.get(), &status),
              "[DeviceTimer] query the capture status");
    return status == cudaStreamCaptureStatusActive;
  }

  // Moves a row out of the ring for good: replays of the graph record its
  // events. TakeReached refills the ring; at most kRows - 1 captures may begin
  // before it.
  EventRow* RowOfCapture() {
    LOCKSTEP_CHECK(ring_.size() > 1);
    captured_.push_back(std::move(ring_.back()));
    ring_.pop_back();
    return captured_.back().get();
  }

  // Without cudaEventRecordExternal, an event recorded in a capture is only a
  // dependency and has no time.
  void Record(const CudaStream& stream) {
    CheckCuda(
        cudaEventRecordWithFlags(
            row_->events[num_recorded_++]->get(), stream.get(),
            capturing_ ? cudaEventRecordExternal : cudaEventRecordDefault),
        "[DeviceTimer] mark");
  }

  // nullopt if incomplete, or returned before.
  std::optional<Row> ReadRow(EventRow& row) const {
    const std::optional<float> start = Milliseconds(*origin_, *row.events[0]);
    if (!start || *start == row.taken_start) return std::nullopt;
    using HostMilliseconds = std::chrono::duration<float, std::milli>;
    Row taken{origin_time_ + std::chrono::duration_cast<Clock::duration>(
                                 HostMilliseconds(*start)),
              {}};
    for (int i = 1; i <= marks_; ++i) {
      const auto passed = Milliseconds(*row.events[i - 1], *row.events[i]);
      if (!passed) return std::nullopt;  // the step did not reach this mark
      // Recorded in an earlier use of the row.
      if (*passed < 0) return std::nullopt;
      taken.seconds.push_back(*passed / 1000.0);
    }
    row.taken_start = *start;
    return taken;
  }

  // Creates events in advance: this cannot be done during a capture.
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
  EventRow* row_ = nullptr;  // the current row; nullptr before Begin
  int num_recorded_ = 0;     // events recorded in row_
  bool capturing_ = false;
};

std::unique_ptr<DeviceTimer> MakeCudaDeviceTimer(Device& device, int marks) {
  return std::make_unique<CudaDeviceTimer>(device, marks);
}

[[maybe_unused]] const RegisterKernel registered(gpu::MakeDeviceTimer,
                                                 &MakeCudaDeviceTimer);

}  // namespace
}  // namespace lockstep
