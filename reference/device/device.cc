#include "reference/device/device.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "reference/base/error.h"
#include "reference/device/capture_session.h"
#include "reference/device/gpu_backend.h"

namespace lockstep {
namespace {

using HostLock = std::shared_lock<std::shared_mutex>;

// Waits until the calling thread may enqueue; a thread that captures may at
// once.
HostLock LockForHost(DeviceMemory& memory) {
  if (PrivateMemory::Current() != nullptr) return HostLock();
  return HostLock(memory.capture_mutex());
}

// Errors: FailedPrecondition during a capture, because a graph contains work of
// the device only and `what` involves the host.
void FailIfCaptured(const DeviceMemory& memory, const std::string& what,
                    const char* advice) {
  const PrivateMemory* captured = PrivateMemory::Current();
  if (captured == nullptr) return;
  throw FailedPrecondition(
      "[StepGraph] {} {} while the step is captured as a graph; {}", what,
      captured->NameOf(memory), advice);
}

}  // namespace

void DeviceMemory::CopyFromHost(void* to, const void* from, size_t bytes) {
  FailIfCaptured(
      *this, fmt::format("{} bytes were copied from the host to", bytes),
      "each replay would copy the same ones: hand them to the step as its "
      "input, or keep them in a variable");
  const HostLock lock = LockForHost(*this);
  DoCopyFromHost(to, from, bytes);
}

void DeviceMemory::CopyToHost(void* to, const void* from, size_t bytes) {
  FailIfCaptured(*this,
                 fmt::format("{} bytes were read by the host from", bytes),
                 "return the tensor from the step, or read it between steps");
  const HostLock lock = LockForHost(*this);
  DoCopyToHost(to, from, bytes);
}

void DeviceMemory::Copy(void* to, const void* from, size_t bytes) {
  const HostLock lock = LockForHost(*this);
  DoCopy(to, from, bytes);
}

void DeviceMemory::CopyFrom(DeviceMemory& other, void* to, const void* from,
                            size_t bytes) {
  if (PrivateMemory::Current() != nullptr || &other == this) {
    const HostLock lock = LockForHost(*this);
    return DoCopyFrom(other, to, from, bytes);
  }
  // std::lock avoids a deadlock with a capture, which locks both mutexes too.
  HostLock lock(capture_mutex_, std::defer_lock);
  HostLock other_lock(other.capture_mutex_, std::defer_lock);
  std::lock(lock, other_lock);
  DoCopyFrom(other, to, from, bytes);
}

void DeviceMemory::Fill(void* to, const void* value, size_t value_bytes,
                        int64_t count) {
  const HostLock lock = LockForHost(*this);
  DoFill(to, value, value_bytes, count);
}

void DeviceMemory::Synchronize() {
  FailIfCaptured(*this, "the host waited for",
                 "nothing has run yet: wait between steps");
  const HostLock lock = LockForHost(*this);
  DoSynchronize();
}

namespace {

thread_local Device* current_device = nullptr;

// A misspelled name makes at most this many devices.
constexpr int kMostMadeByName = 64;

// Every CPU device ever made, and how many of them are visible now.
class CpuDevices {
 public:
  static CpuDevices& Get() {
    static CpuDevices* devices = new CpuDevices;  // never destroyed
    return *devices;
  }

  void SetCount(int count) {
    std::lock_guard lock(mutex_);
    is_set_ = true;
    Show(count);
  }

  // Makes the devices up to this one, unless the program set their number.
  void MakeUpTo(int index) {
    std::lock_guard lock(mutex_);
    if (is_set_ || index < visible_ || index >= kMostMadeByName) return;
    Show(index + 1);
  }

  std::vector<Device*> List() {
    std::lock_guard lock(mutex_);
    std::vector<Device*> list;
    for (int i = 0; i < visible_; ++i) list.push_back(devices_[i].get());
    return list;
  }

  Device& First() {
    std::lock_guard lock(mutex_);
    return *devices_[0];
  }

 private:
  CpuDevices() { Show(1); }

  void Show(int count) {
    while (static_cast<int>(devices_.size()) < count) {
      const int index = static_cast<int>(devices_.size());
      devices_.push_back(std::make_unique<Device>(DeviceKind::kCpu, index));
    }
    visible_ = count;
  }

  std::mutex mutex_;  // guards all below
  std::vector<std::unique_ptr<Device>> devices_;
  int visible_ = 0;
  bool is_set_ = false;  // by the program
};

std::string_view KindName(DeviceKind kind) {
  return kind == DeviceKind::kCpu ? "CPU" : "GPU";
}

struct DeviceName {
  DeviceKind kind;
  int index;
};

// Takes any of the accepted spellings; nullopt for another form.
std::optional<DeviceName> ParseName(std::string_view name) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return std::toupper(c); });
  size_t start = upper.rfind("CPU:");
  if (start == std::string::npos) start = upper.rfind("GPU:");
  if (start == std::string::npos) return std::nullopt;
  if (start > 0 && upper[start - 1] != '/' && upper[start - 1] != ':') {
    return std::nullopt;
  }
  const std::string tail = upper.substr(start);
  int index = -1;
  const char* first = tail.data() + 4;
  const char* last = tail.data() + tail.size();
  const auto [end, error] = std::from_chars(first, last, index);
  if (error != std::errc() || end != last || index < 0) return std::nullopt;
  return DeviceName{
      tail.starts_with("CPU") ? DeviceKind::kCpu : DeviceKind::kGpu, index};
}

}  // namespace

Device::Device(DeviceKind kind, int index)
    : kind_(kind),
      index_(index),
      name_(fmt::format("{}:{}", KindName(kind), index)) {}

Device::Device(DeviceKind kind, int index, std::unique_ptr<DeviceMemory> memory)
    : kind_(kind),
      index_(index),
      name_(fmt::format("{}:{}", KindName(kind), index)),
      memory_(std::move(memory)),
      pool_(*memory_) {}

Device& Device::Current() { return current_device ? *current_device : Host(); }

Device& Device::Host() { return CpuDevices::Get().First(); }

DeviceScope::DeviceScope(Device& device) : previous_(current_device) {
  current_device = &device;
}

DeviceScope::~DeviceScope() { current_device = previous_; }

void SetLogicalCpuDevices(int count) {
  if (count < 1) {
    throw InvalidArgument(
        "[SetLogicalCpuDevices] count must be at least 1, got {}", count);
  }
  CpuDevices::Get().SetCount(count);
}

void SetLogicalGpuDevices(int gpu, int count) {
  if (count < 1) {
    throw InvalidArgument(
        "[SetLogicalGpuDevices] count must be at least 1, got {}", count);
  }
  device_internal::CurrentGpuBackend().SetLogicalDevices(gpu, count);
}

std::vector<Device*> ListLogicalDevices() {
  std::vector<Device*> list = device_internal::CurrentGpuBackend().List();
  const std::vector<Device*> cpus = CpuDevices::Get().List();
  list.insert(list.end(), cpus.begin(), cpus.end());
  return list;
}

Device& FindDevice(std::string_view name) {
  const std::optional<DeviceName> wanted = ParseName(name);
  if (!wanted) {
    throw InvalidArgument(
        "[FindDevice] a device is named as in CPU:0 or GPU:1, got '{}'", name);
  }
  const bool is_cpu = wanted->kind == DeviceKind::kCpu;
  if (is_cpu) CpuDevices::Get().MakeUpTo(wanted->index);
  std::vector<std::string> known;
  for (Device* device : ListLogicalDevices()) {
    if (device->kind() == wanted->kind && device->index() == wanted->index) {
      return *device;
    }
    known.push_back(device->name());
  }
  throw NotFound("[FindDevice] no device {}:{}, there are {} ({})",
                 KindName(wanted->kind), wanted->index, fmt::join(known, ", "),
                 is_cpu ? "a name makes at most 64, and none after "
                          "SetLogicalCpuDevices, which makes any number"
                        : device_internal::CurrentGpuBackend().WhyNoGpu());
}

}  // namespace lockstep
