#include "reference/device/capture_session.h"

#include <algorithm>
#include <utility>

#include "reference/base/check.h"

namespace lockstep {
namespace {

thread_local PrivateMemory* current_memory = nullptr;

// Makes a device's pool the source of another pool.
class PoolSource final : public MemorySource {
 public:
  explicit PoolSource(Device& device) : device_(device) {}

  // Throws instead of returning nullptr: the device's pool has already tried to
  // free memory.
  void* Take(size_t bytes) override { return device_.pool().Allocate(bytes); }
  void Return(void* block, size_t bytes) noexcept override {
    device_.pool().Free(block, bytes);
  }
  std::string Describe() const override { return device_.name(); }

 private:
  Device& device_;
};

}  // namespace

struct PrivateMemory::Part {
  explicit Part(Device& device) : device(device), source(device) {}

  Device& device;
  PoolSource source;
  MemoryPool pool{source};
};

PrivateMemory::PrivateMemory(const std::vector<Device*>& devices) {
  for (Device* device : devices) {
    parts_.push_back(std::make_unique<Part>(*device));
  }
}

PrivateMemory::~PrivateMemory() {
  for (const KeptBlock& kept : kept_) {
    kept.device->pool().Free(kept.block, kept.bytes);
  }
}

PrivateMemory::Part* PrivateMemory::Find(const Device& device) const {
  for (const auto& part : parts_) {
    if (&part->device == &device) return part.get();
  }
  return nullptr;
}

bool PrivateMemory::Serves(const Device& device) const {
  return Find(device) != nullptr;
}

void* PrivateMemory::Allocate(const Device& device, size_t bytes) {
  Part* part = Find(device);
  LOCKSTEP_CHECK(part != nullptr);
  return part->pool.Allocate(bytes);
}

void PrivateMemory::Free(const Device& device, void* block,
                         size_t bytes) noexcept {
  Find(device)->pool.Free(block, bytes);
}

void PrivateMemory::Keep(Device& device, void* block, size_t bytes) {
  std::lock_guard lock(mutex_);
  kept_.push_back({&device, block, bytes});
}

std::string PrivateMemory::NameOf(const DeviceMemory& memory) const {
  for (const auto& part : parts_) {
    if (part->device.memory() == &memory) return part->device.name();
  }
  return "a GPU";
}

PrivateMemory* PrivateMemory::Current() { return current_memory; }

PrivateMemory::Scope::Scope(PrivateMemory& memory) : previous_(current_memory) {
  current_memory = &memory;
}

PrivateMemory::Scope::~Scope() { current_memory = previous_; }

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
