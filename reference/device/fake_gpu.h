// A GPU for tests on machines without one.
//
// Its memory faults when the host accesses it, as a GPU's would; only work in
// its stream may. A second mapping of the same pages shows the content:
//
//   FakeGpu gpu;
//   Tensor x = Tensor::FromVector<float>({1, 2}, Shape{2}, gpu.device());
//   gpu.View(x.data<float>())[1];   // 2
#ifndef LOCKSTEP_REFERENCE_DEVICE_FAKE_GPU_H_
#define LOCKSTEP_REFERENCE_DEVICE_FAKE_GPU_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "reference/device/device.h"
#include "reference/device/gpu_backend.h"

namespace lockstep {

// The stream of a fake GPU: runs work at once, or records it while it is
// captured.
//
//   FakeStream::Recording recording;
//   stream.RecordInto(&recording);
//   stream.Submit([] { ... });       // not run
//   stream.RecordInto(nullptr);
//   recording.Run();                // now, any number of times
//
// Thread-safe.
class FakeStream {
 public:
  using Work = std::function<void()>;

  // The work of one stream or several, in the order of submission. That order
  // is valid: work that waits for another stream is submitted later.
  class Recording {
   public:
    void Add(Work work) {
      std::lock_guard lock(mutex_);
      works_.push_back(std::move(work));
    }
    void Run() const {
      for (const Work& work : works_) work();
    }

   private:
    std::mutex mutex_;
    std::vector<Work> works_;
  };

  // `run` calls the work that it gets; nullptr calls the work directly.
  explicit FakeStream(std::function<void(const Work&)> run = nullptr)
      : run_(std::move(run)) {}

  void Submit(Work work) {
    if (run_) work = [this, inner = std::move(work)] { run_(inner); };
    Recording* recording = recording_;
    if (recording != nullptr) return recording->Add(std::move(work));
    work();
  }

  // nullptr ends the recording.
  void RecordInto(Recording* recording) { recording_ = recording; }
  bool recording() const { return recording_ != nullptr; }

 private:
  const std::function<void(const Work&)> run_;
  std::atomic<Recording*> recording_ = nullptr;
};

// Streams of a device for tests. They run work on the host, as soon as its
// order allows.
//
//   SimulatedStreams streams;
//   streams.Hold(DeviceStream::kCompute);
//   streams.Submit(DeviceStream::kCompute, "kernel", [] { ... });  // not run
//   streams.Release(DeviceStream::kCompute);                       // run
//   streams.log();                            // {"compute: kernel"}
class SimulatedStreams final : public DeviceStreams {
 public:
  // The host's address for an address of the device.
  using View = std::function<std::byte*(void* device_pointer)>;

  explicit SimulatedStreams(View view = [](void* pointer) {
    return static_cast<std::byte*>(pointer);
  });

  // The stream runs nothing until Release.
  void Hold(DeviceStream stream);
  void Release(DeviceStream stream);

  // `work` must not use the streams.
  void Submit(DeviceStream stream, const std::string& name,
              std::function<void()> work);

  // All work in the order of submission: "copy: 8 bytes", "compute waits for
  // copy".
  std::vector<std::string> log() const;

  std::unique_ptr<Event> Record(DeviceStream stream) override;
  void WaitFor(DeviceStream stream, const Event& event) override;
  void CopyFromHost(void* to, const void* from, size_t bytes) override;

 private:
  struct PlaceReached {
    bool reached = false;
  };
  struct SimulatedEvent;
  struct Item {
    std::function<void()> work;
    std::shared_ptr<const PlaceReached> awaited;  // nullptr: nothing
  };
  struct Stream {
    bool held = false;
    std::deque<Item> items;
  };

  void Give(DeviceStream stream, Item item);
  void RunWhatCan();

  const View view_;
  mutable std::mutex mutex_;
  std::array<Stream, 3> streams_;
  std::vector<std::string> log_;
};

class FakeGpu {
 public:
  // What happens when the host accesses the GPU's memory directly.
  enum class HostAccess { kFaults, kAllowed };

  // It can allocate `bytes` in all: freed memory is not used again.
  explicit FakeGpu(int index = 0, size_t bytes = size_t{8} << 20,
                   HostAccess access = HostAccess::kFaults);
  ~FakeGpu();

  Device& device() { return *device_; }

  // The host's address of the same element.
  template <typename T>
  T* View(const T* device_pointer) const {
    return static_cast<T*>(ViewBytes(device_pointer));
  }

  // Its other streams, and the events between them. Work of tensors and kernels
  // runs at once.
  SimulatedStreams& streams() const;

  // The number of copies and fills.
  int transfers() const;
  // How often the host waited, for a copy to it or in Synchronize.
  int waits() const;
  // The number of copies from the host. Fills do not count: their value is part
  // of the command.
  int uploads() const;

  // The next launch of a graph that begins on this GPU fails.
  void FailNextLaunch();

  // The stream of its kernels. REQUIRES: the device is a FakeGpu's.
  static FakeStream& StreamOf(const Device& device);

 private:
  class Memory;
  void* ViewBytes(const void* device_pointer) const;

  Memory* memory_;  // owned by the device
  std::unique_ptr<Device> device_;
};

// Makes fake GPUs the machine's GPUs while it lives.
class FakeGpuBackend : public device_internal::GpuBackend {
 public:
  explicit FakeGpuBackend(std::vector<Device*> gpus)
      : gpus_(std::move(gpus)),
        previous_(device_internal::SetGpuBackend(this)) {}
  ~FakeGpuBackend() override { device_internal::SetGpuBackend(previous_); }

  std::vector<Device*> List() override { return gpus_; }
  std::string WhyNoGpu() override { return "the fakes end here"; }
  void SetLogicalDevices(int, int) override {}

 private:
  std::vector<Device*> gpus_;
  device_internal::GpuBackend* const previous_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_FAKE_GPU_H_
