#include "reference/device/fake_gpu.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "reference/base/system_error.h"
#include "reference/device/device_memory.h"

namespace lockstep {
namespace {

// `bytes` of a file that lives in memory, mapped for reading and writing or so
// that any touch faults.
std::byte* Map(int file, size_t bytes, int protection) {
  void* start = mmap(nullptr, bytes, protection, MAP_SHARED, file, 0);
  if (start == MAP_FAILED) throw SystemError(errno, "[FakeGpu] mmap");
  return static_cast<std::byte*>(start);
}

}  // namespace

class FakeGpu::Memory final : public DeviceMemory {
 public:
  Memory(size_t bytes, HostAccess access) : bytes_(bytes) {
    const int file = memfd_create("fake_gpu", 0);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
      throw SystemError(errno, "[FakeGpu] memfd_create");
    }
    constexpr int kAnyAccess = PROT_READ | PROT_WRITE;
    device_side_ = Map(file, bytes,
                       access == HostAccess::kFaults ? PROT_NONE : kAnyAccess);
    host_side_ = Map(file, bytes, kAnyAccess);
    close(file);
  }

  ~Memory() override {
    munmap(device_side_, bytes_);
    munmap(host_side_, bytes_);
  }

  void* Take(size_t bytes) override {
    std::lock_guard lock(mutex_);
    const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (rounded > bytes_ - taken_) return nullptr;
    void* block = device_side_ + taken_;
    taken_ += rounded;
    return block;
  }

  void Return(void*, size_t) noexcept override {}

  std::string Describe() const override { return "a fake GPU"; }

  void CopyFromHost(void* to, const void* from, size_t bytes) override {
    ++transfers;
    ++uploads;
    std::memcpy(View(to), from, bytes);
  }

  void CopyToHost(void* to, const void* from, size_t bytes) override {
    ++transfers;
    ++waits;
    std::memcpy(to, View(from), bytes);
  }

  void Copy(void* to, const void* from, size_t bytes) override {
    ++transfers;
    std::memcpy(View(to), View(from), bytes);
  }

  void CopyFrom(DeviceMemory& other, void* to, const void* from,
                size_t bytes) override {
    ++transfers;
    std::memcpy(View(to), static_cast<Memory&>(other).View(from), bytes);
  }

  void Fill(void* to, const void* value, size_t value_bytes,
            int64_t count) override {
    ++transfers;
    std::byte* out = View(to);
    for (int64_t i = 0; i < count; ++i, out += value_bytes) {
      std::memcpy(out, value, value_bytes);
    }
  }

  void Synchronize() override { ++waits; }

  SimulatedQueues& queues() override { return queues_; }

  std::byte* View(const void* device_pointer) const {
    return host_side_ +
           (static_cast<const std::byte*>(device_pointer) - device_side_);
  }

  std::atomic<int> transfers = 0;
  std::atomic<int> waits = 0;
  std::atomic<int> uploads = 0;

 private:
  const size_t bytes_;
  std::mutex mutex_;
  size_t taken_ = 0;
  std::byte* device_side_;
  std::byte* host_side_;
  SimulatedQueues queues_{[this](void* pointer) { return View(pointer); }};
};

FakeGpu::FakeGpu(int index, size_t bytes, HostAccess access)
    : memory_(new Memory(bytes, access)) {
  device_ = std::make_unique<Device>(DeviceKind::kGpu, index,
                                     std::unique_ptr<DeviceMemory>(memory_));
}

FakeGpu::~FakeGpu() = default;

SimulatedQueues& FakeGpu::queues() const { return memory_->queues(); }

int FakeGpu::transfers() const { return memory_->transfers; }

int FakeGpu::waits() const { return memory_->waits; }

int FakeGpu::uploads() const { return memory_->uploads; }

void* FakeGpu::ViewBytes(const void* device_pointer) const {
  return memory_->View(device_pointer);
}

}  // namespace lockstep
