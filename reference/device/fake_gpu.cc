#include "reference/device/fake_gpu.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/device/device.h"

namespace lockstep {
namespace {

constexpr const char* kNames[] = {"compute", "communication", "copy"};

size_t IndexOf(DeviceStream stream) { return static_cast<size_t>(stream); }

std::string NameOf(DeviceStream stream) { return kNames[IndexOf(stream)]; }

}  // namespace

struct SimulatedStreams::SimulatedEvent final : public Event {
  DeviceStream stream = DeviceStream::kCompute;
  std::shared_ptr<PlaceReached> place = std::make_shared<PlaceReached>();
};

SimulatedStreams::SimulatedStreams(View view) : view_(std::move(view)) {}

void SimulatedStreams::Hold(DeviceStream stream) {
  std::lock_guard lock(mutex_);
  streams_[IndexOf(stream)].held = true;
}

void SimulatedStreams::Release(DeviceStream stream) {
  std::lock_guard lock(mutex_);
  streams_[IndexOf(stream)].held = false;
  RunWhatCan();
}

void SimulatedStreams::Submit(DeviceStream stream, const std::string& name,
                              std::function<void()> work) {
  std::lock_guard lock(mutex_);
  log_.push_back(NameOf(stream) + ": " + name);
  Give(stream, {std::move(work), nullptr});
}

std::vector<std::string> SimulatedStreams::log() const {
  std::lock_guard lock(mutex_);
  return log_;
}

std::unique_ptr<DeviceStreams::Event> SimulatedStreams::Record(
    DeviceStream stream) {
  std::lock_guard lock(mutex_);
  auto event = std::make_unique<SimulatedEvent>();
  event->stream = stream;
  Give(stream, {[place = event->place] { place->reached = true; }, nullptr});
  return event;
}

void SimulatedStreams::WaitFor(DeviceStream stream, const Event& event) {
  std::lock_guard lock(mutex_);
  const auto& awaited = dynamic_cast<const SimulatedEvent&>(event);
  log_.push_back(NameOf(stream) + " waits for " + NameOf(awaited.stream));
  Give(stream, {[] {}, awaited.place});
}

void SimulatedStreams::CopyFromHost(void* to, const void* from, size_t bytes) {
  const auto* begin = static_cast<const std::byte*>(from);
  Submit(DeviceStream::kCopy, std::to_string(bytes) + " bytes",
         [this, to, pinned = std::vector<std::byte>(begin, begin + bytes)] {
           std::ranges::copy(pinned, view_(to));
         });
}

void SimulatedStreams::Give(DeviceStream stream, Item item) {
  streams_[IndexOf(stream)].items.push_back(std::move(item));
  RunWhatCan();
}

void SimulatedStreams::RunWhatCan() {
  const auto can_run = [](const Stream& stream) {
    if (stream.held || stream.items.empty()) return false;
    const auto& awaited = stream.items.front().awaited;
    return awaited == nullptr || awaited->reached;
  };
  while (true) {
    const auto next = std::ranges::find_if(streams_, can_run);
    if (next == streams_.end()) return;
    next->items.front().work();
    next->items.pop_front();
  }
}

namespace {

constexpr int kAnyAccess = PROT_READ | PROT_WRITE;

// Maps `bytes` of a file in memory, either for reading and writing or so that
// any access faults.
std::byte* Map(int file, size_t bytes, int protection) {
  void* start = mmap(nullptr, bytes, protection, MAP_SHARED, file, 0);
  if (start == MAP_FAILED) throw SystemError(errno, "[FakeGpu] mmap");
  return static_cast<std::byte*>(start);
}

}  // namespace

class FakeGpu::Memory final : public DeviceMemory {
 public:
  class Capture;

  Memory(size_t bytes, HostAccess access)
      : stream(access == HostAccess::kFaults
                   ? [this](const FakeStream::Work& work) { RunOnDevice(work); }
                   : std::function<void(const FakeStream::Work&)>()),
        bytes_(bytes) {
    const int file = memfd_create("fake_gpu", 0);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
      throw SystemError(errno, "[FakeGpu] memfd_create");
    }
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

  SimulatedStreams& streams() override { return streams_; }

  std::unique_ptr<GraphCapture> BeginCapture(
      std::span<Device* const> devices) override;

  std::byte* View(const void* device_pointer) const {
    return host_side_ +
           (static_cast<const std::byte*>(device_pointer) - device_side_);
  }

  std::atomic<int> transfers = 0;
  std::atomic<int> waits = 0;
  std::atomic<int> uploads = 0;
  std::atomic<bool> next_launch_fails = false;
  FakeStream stream;

 private:
  void DoCopyFromHost(void* to, const void* from, size_t bytes) override {
    ++transfers;
    ++uploads;
    std::memcpy(View(to), from, bytes);
  }

  void DoCopyToHost(void* to, const void* from, size_t bytes) override {
    ++transfers;
    ++waits;
    std::memcpy(to, View(from), bytes);
  }

  void DoCopy(void* to, const void* from, size_t bytes) override {
    ++transfers;
    stream.Submit([=, this] { std::memcpy(View(to), View(from), bytes); });
  }

  void DoCopyFrom(DeviceMemory& other, void* to, const void* from,
                  size_t bytes) override {
    ++transfers;
    const auto* source = static_cast<Memory*>(&other);
    stream.Submit(
        [=, this] { std::memcpy(View(to), source->View(from), bytes); });
  }

  void DoFill(void* to, const void* value, size_t value_bytes,
              int64_t count) override {
    ++transfers;
    uint64_t word = 0;
    std::memcpy(&word, value, value_bytes);
    stream.Submit([=, this] {
      std::byte* out = View(to);
      for (int64_t i = 0; i < count; ++i, out += value_bytes) {
        std::memcpy(out, &word, value_bytes);
      }
    });
  }

  void DoSynchronize() override { ++waits; }

  // Its memory is accessible while at least one of these lives.
  class Access {
   public:
    explicit Access(Memory& memory) : memory_(memory) {
      std::lock_guard lock(memory_.mutex_);
      if (memory_.accesses_++ == 0) memory_.Protect(kAnyAccess);
    }
    ~Access() {
      std::lock_guard lock(memory_.mutex_);
      if (--memory_.accesses_ == 0) memory_.Protect(PROT_NONE);
    }
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

   private:
    Memory& memory_;
  };

  void RunOnDevice(const FakeStream::Work& work) {
    const Access access(*this);
    work();
  }

  void Protect(int protection) {
    LOCKSTEP_CHECK(mprotect(device_side_, bytes_, protection) == 0);
  }

  const size_t bytes_;
  int accesses_ = 0;
  std::mutex mutex_;
  size_t taken_ = 0;
  std::byte* device_side_;
  std::byte* host_side_;
  SimulatedStreams streams_{[this](void* pointer) { return View(pointer); }};
};

// The work of fake GPUs, in one list.
class FakeGpu::Memory::Capture final : public GraphCapture {
 public:
  explicit Capture(std::span<Device* const> devices) {
    for (Device* device : devices) {
      memories_.push_back(static_cast<Memory*>(device->memory()));
      memories_.back()->stream.RecordInto(recording_.get());
    }
  }
  ~Capture() override { Stop(); }

  std::unique_ptr<DeviceGraph> End() override {
    Stop();
    return std::make_unique<Graph>(*memories_[0], std::move(recording_));
  }

 private:
  class Graph final : public DeviceGraph {
   public:
    Graph(Memory& first, std::unique_ptr<FakeStream::Recording> recording)
        : first_(first), recording_(std::move(recording)) {}

    void Launch() override {
      if (first_.next_launch_fails.exchange(false)) {
        throw Internal("[FakeGpu] {}",
                       "the launch failed because of FailNextLaunch");
      }
      recording_->Run();
    }

   private:
    Memory& first_;
    const std::unique_ptr<FakeStream::Recording> recording_;
  };

  void Stop() {
    for (Memory* memory : memories_) memory->stream.RecordInto(nullptr);
  }

  std::unique_ptr<FakeStream::Recording> recording_ =
      std::make_unique<FakeStream::Recording>();
  std::vector<Memory*> memories_;
};

std::unique_ptr<GraphCapture> FakeGpu::Memory::BeginCapture(
    std::span<Device* const> devices) {
  return std::make_unique<Capture>(devices);
}

FakeGpu::FakeGpu(int index, size_t bytes, HostAccess access)
    : memory_(new Memory(bytes, access)) {
  device_ = std::make_unique<Device>(DeviceKind::kGpu, index,
                                     std::unique_ptr<DeviceMemory>(memory_));
}

FakeGpu::~FakeGpu() = default;

SimulatedStreams& FakeGpu::streams() const { return memory_->streams(); }

int FakeGpu::transfers() const { return memory_->transfers; }

int FakeGpu::waits() const { return memory_->waits; }

int FakeGpu::uploads() const { return memory_->uploads; }
void FakeGpu::FailNextLaunch() { memory_->next_launch_fails = true; }

FakeStream& FakeGpu::StreamOf(const Device& device) {
  return static_cast<Memory*>(device.memory())->stream;
}

void* FakeGpu::ViewBytes(const void* device_pointer) const {
  return memory_->View(device_pointer);
}

}  // namespace lockstep
