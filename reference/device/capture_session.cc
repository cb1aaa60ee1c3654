#include "reference/device/capture_session.h"

#include <algorithm>
#include <utility>

#include "reference/base/check.h"

namespace lockstep {

CaptureSession::CaptureSession(const std::vector<Device*>& devices)
    : memory_(std::make_shared<PrivateMemory>(devices)) {
  LOCKSTEP_CHECK(!devices.empty());
  std::vector<DeviceMemory*> memories;
  for (Device* device : devices) {
    LOCKSTEP_CHECK(!device->on_host());
    memories.push_back(device->memory());
  }
  std::ranges::sort(memories);  // two sessions never wait for each other
  for (DeviceMemory* memory : memories) {
    turns_.emplace_back(memory->capture_mutex());
  }
  capture_ = devices[0]->memory()->BeginCapture(devices);
}

CaptureSession::~CaptureSession() = default;

CapturedWork CaptureSession::Finish() {
  CapturedWork work{memory_, capture_->End()};
  Abandon();
  return work;
}

void CaptureSession::Abandon() noexcept {
  capture_.reset();
  turns_.clear();
}

}  // namespace lockstep
