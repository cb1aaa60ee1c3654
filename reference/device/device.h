// A logical device: what one replica computes on.
//
// A program has as many logical CPU devices as it names or sets, so that
// replicas can be simulated on any machine, as in TensorFlow's guides:
//
//   FindDevice("CPU:1").name();      // "CPU:1"
//   ListLogicalDevices();            // CPU:0, CPU:1
//
//   SetLogicalCpuDevices(2);         // as TensorFlow: exactly two
//   FindDevice("CPU:7");             // NotFound, lists the devices
//
// A program with a GPU backend has GPU:0, GPU:1 and so on, one for each GPU or
// as many as SetLogicalGpuDevices sets.
//
// Devices live as long as the process, so tensors may outlive any strategy.
#ifndef LOCKSTEP_REFERENCE_DEVICE_DEVICE_H_
#define LOCKSTEP_REFERENCE_DEVICE_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/device/memory_pool.h"

namespace lockstep {

class Device;

// The streams of an asynchronous device, and the order between them.
//
// Work of one stream runs in the order in which it was queued, concurrently
// with the other streams:
//
//   auto ready = streams.Record(DeviceStream::kCompute);
//   streams.WaitFor(DeviceStream::kCommunication, *ready);   // a fork
//   ... an all-reduce in kCommunication, kernels in kCompute ...
//   Follow(streams, DeviceStream::kCompute,
//          DeviceStream::kCommunication);                   // joined
//
// Memory of the device's pool belongs to kCompute, which may reuse a freed
// block at once (memory_pool.h). Another stream must therefore wait for an
// event of kCompute before it uses a block, and kCompute must wait for that
// stream before the block is freed.
//
// While kCompute is captured into a graph, a stream that waits for it is
// captured too, and must be joined to it before the capture ends.
enum class DeviceStream {
  kCompute,        // everything else
  kCommunication,  // all-reduces during a backward pass
  kCopy,           // input from the host, during a step
};

// Thread-safe. Errors of all: Internal if the device fails, perhaps in work
// queued earlier. Only CopyFromHost may make the host wait.
class DeviceStreams {
 public:
  // A point in a stream: after all work that was queued when it was recorded.
  class Event {
   public:
    virtual ~Event() = default;
  };

  virtual ~DeviceStreams() = default;

  virtual std::unique_ptr<Event> Record(DeviceStream stream) = 0;
  // Work that is queued later in `stream` runs after the event, which may be
  // destroyed before it is reached. REQUIRES: an event of a device of the same
  // kind.
  virtual void WaitFor(DeviceStream stream, const Event& event) = 0;
  // Queues a copy from the host in kCopy; `from` may change as soon as this
  // returns. May wait for earlier copies. Errors: ResourceExhausted if pinned
  // memory is exhausted.
  virtual void CopyFromHost(void* to, const void* from, size_t bytes) = 0;
};

// Work that is queued later in `later` runs after all work that `earlier` has
// so far.
inline void Follow(DeviceStreams& streams, DeviceStream later,
                   DeviceStream earlier) {
  streams.WaitFor(later, *streams.Record(earlier));
}

// The same for stream `stream` of two devices of the same kind.
inline void Follow(DeviceStreams& later, DeviceStreams& earlier,
                   DeviceStream stream) {
  later.WaitFor(stream, *earlier.Record(stream));
}

// What a backend implements so that queued work can be captured once and
// launched repeatedly: CUDA graphs, or a fake GPU's list of its work.
//
// Captured work. Each launch uses the addresses and values of the capture.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;

  // Enqueues the work on its devices, after all work queued there so far.
  // Errors: Internal if the launch fails.
  virtual void Launch() = 0;
};

// Work queued on the devices during the capture does not run.
class GraphCapture {
 public:
  // Discards the captured work, unless End was called; the devices run new work
  // again.
  virtual ~GraphCapture() = default;

  // Ends the capture. Errors: Internal; the devices stay usable.
  virtual std::unique_ptr<DeviceGraph> End() = 0;
};

// The memory of a device that the host cannot address, and its stream.
//
// All calls are asynchronous and run in order, except that CopyToHost and
// Synchronize wait.
//
// During a CaptureSession the capturing threads may only enqueue: calls that
// wait for the device or copy from the host fail with FailedPrecondition. Calls
// of other threads wait until the capture ends.
//
// Thread-safe. Errors of all: Internal if the device fails, perhaps in work
// queued earlier.
class DeviceMemory : public MemorySource {
 public:
  // Enqueues a copy; `from` may change as soon as this returns.
  void CopyFromHost(void* to, const void* from, size_t bytes);
  // Copies after all queued work, and waits for the copy.
  void CopyToHost(void* to, const void* from, size_t bytes);
  // Enqueues a copy within this memory.
  void Copy(void* to, const void* from, size_t bytes);
  // Enqueues a copy from another device of the same kind, after all work queued
  // there so far. Later work there waits for the copy.
  void CopyFrom(DeviceMemory& other, void* to, const void* from, size_t bytes);
  // Enqueues writing the `value_bytes` (1, 2, 4 or 8) at `value` `count` times.
  void Fill(void* to, const void* value, size_t value_bytes, int64_t count);
  // Waits for all queued work.
  void Synchronize();

  // The device's streams; all calls above use kCompute.
  virtual DeviceStreams& streams() = 0;

  // Captures the work queued on `devices`, of which this is the first one's
  // memory, until the capture ends. For CaptureSession, which states the rules.
  // REQUIRES: all are of one kind, none is being captured.
  virtual std::unique_ptr<GraphCapture> BeginCapture(
      std::span<Device* const> devices) = 0;

  // Locked exclusively by a capture, shared by other threads that enqueue.
  std::shared_mutex& capture_mutex() { return capture_mutex_; }

 private:
  virtual void DoCopyFromHost(void* to, const void* from, size_t bytes) = 0;
  virtual void DoCopyToHost(void* to, const void* from, size_t bytes) = 0;
  virtual void DoCopy(void* to, const void* from, size_t bytes) = 0;
  virtual void DoCopyFrom(DeviceMemory& other, void* to, const void* from,
                          size_t bytes) = 0;
  virtual void DoFill(void* to, const void* value, size_t value_bytes,
                      int64_t count) = 0;
  virtual void DoSynchronize() = 0;

  std::shared_mutex capture_mutex_;
};

enum class DeviceKind { kCpu, kGpu };

class Device {
 public:
  // A device that uses the host's memory.
  Device(DeviceKind kind, int index);
  // REQUIRES: memory != nullptr.
  Device(DeviceKind kind, int index, std::unique_ptr<DeviceMemory> memory);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  DeviceKind kind() const { return kind_; }
  int index() const { return index_; }
  // "CPU:0", "GPU:1".
  const std::string& name() const { return name_; }
  MemoryPool& pool() { return pool_; }
  // Its memory; nullptr if it uses the host's.
  DeviceMemory* memory() const { return memory_.get(); }
  // Whether the host can address its memory.
  bool on_host() const { return memory_ == nullptr; }

  // CPU:0, which holds strings and the elements of datasets.
  static Device& Host();
  // The device on which the calling thread creates tensors: CPU:0, unless a
  // DeviceScope sets another.
  static Device& Current();

 private:
  DeviceKind kind_;
  int index_;
  std::string name_;
  std::unique_ptr<DeviceMemory> memory_;  // outlives the pool
  MemoryPool pool_;
};

// Makes `device` the calling thread's current device while the scope lives.
class DeviceScope {
 public:
  explicit DeviceScope(Device& device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Device* previous_;
};

// Sets how many logical CPU devices there are (1 at start). From then on
// FindDevice makes none. Existing devices stay valid. Errors: InvalidArgument
// for count < 1.
void SetLogicalCpuDevices(int count);

// Divides GPU number `gpu` of the machine into `count` logical devices, each
// with its own stream and pool (1 at start). Logical devices are numbered
// consecutively over all GPUs. Existing devices stay valid. Errors:
// InvalidArgument for count < 1; NotFound for a GPU that does not exist.
void SetLogicalGpuDevices(int gpu, int count);

// All logical devices in order: GPUs first, then CPUs.
std::vector<Device*> ListLogicalDevices();

// Accepts "CPU:1", "cpu:1", "/cpu:1", "/device:CPU:1" and TensorFlow's long
// form. Makes CPU devices up to CPU:63 when they are named, unless the program
// called SetLogicalCpuDevices. Errors: InvalidArgument for a name of another
// form; NotFound for a device that does not exist, with a list of those that
// do.
Device& FindDevice(std::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_DEVICE_H_
