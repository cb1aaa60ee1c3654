// A logical device: what one replica computes on.
//
// A machine has as many logical CPU devices as are asked for; replicas are
// simulated that way on any machine, as the documents do it:
//
//   SetLogicalCpuDevices(2);
//   ListLogicalDevices();            // CPU:0, CPU:1
//   FindDevice("CPU:1").name();      // "CPU:1"
//   FindDevice("CPU:7");             // NotFound, lists what there is
//
// A program with a GPU backend has GPU:0, GPU:1 and so on, one for each GPU or
// as many as SetLogicalGpuDevices asks for.
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

// The streams of a device that computes by itself, and the order between them.
//
// What one stream is given runs in the order in which it was given, beside what
// the others were given:
//
//   auto ready = streams.Record(DeviceStream::kCompute);
//   streams.WaitFor(DeviceStream::kCommunication, *ready);   // a fork
//   ... an all-reduce in kCommunication, kernels in kCompute ...
//   Follow(streams, DeviceStream::kCompute,
//          DeviceStream::kCommunication);                   // joined
//
// Memory of the device's pool belongs to kCompute, which may get a freed block
// again at once (memory_pool.h). So another stream begins to use a block behind
// an event of kCompute, and the block is freed when kCompute waits for that
// stream.
//
// While kCompute is captured into a graph, a stream that waits for it is
// captured too, and is joined to it before the capture ends.
enum class DeviceStream {
  kCompute,        // all that nobody gave to another one
  kCommunication,  // all-reduces beside a backward pass
  kCopy,           // input from the host, beside a step
};

// Thread-safe. Errors of all: Internal, when the device fails; it may be the
// failure of something queued earlier. The host waits in none of them, but for
// CopyFromHost.
class DeviceStreams {
 public:
  // A place in a stream: behind all that it was given by then.
  class Event {
   public:
    virtual ~Event() = default;
  };

  virtual ~DeviceStreams() = default;

  virtual std::unique_ptr<Event> Record(DeviceStream stream) = 0;
  // What `stream` is given from now on runs when the event is reached; the
  // event may go away meanwhile. REQUIRES: an event of a device of the same
  // kind.
  virtual void WaitFor(DeviceStream stream, const Event& event) = 0;
  // Gives kCopy a copy from the host; `from` may change as soon as this
  // returns. The host may wait for copies that were given earlier.
  // Errors: ResourceExhausted for a lack of pinned memory.
  virtual void CopyFromHost(void* to, const void* from, size_t bytes) = 0;
};

// What `later` is given from now on runs behind what `earlier` was given by
// now.
inline void Follow(DeviceStreams& streams, DeviceStream later,
                   DeviceStream earlier) {
  streams.WaitFor(later, *streams.Record(earlier));
}

// The same between the `stream`s of two devices of a kind.
inline void Follow(DeviceStreams& later, DeviceStreams& earlier,
                   DeviceStream stream) {
  later.WaitFor(stream, *earlier.Record(stream));
}

// What a backend offers so that queued work can be captured once and be queued
// again and again: CUDA graphs, or a fake GPU's list of what it was given.
//
// Captured work, with the addresses and values of its capture.
class DeviceGraph {
 public:
  virtual ~DeviceGraph() = default;

  // Enqueues the work on its devices: after what is queued there by now, and
  // before what will be. Errors: Internal when the launch fails; the devices
  // stay as usable as the failure leaves them.
  virtual void Launch() = 0;
};

// Until it ends, what is queued on the devices does not run.
class GraphCapture {
 public:
  // Throws what was captured away, unless End was called; the devices run what
  // they are given again.
  virtual ~GraphCapture() = default;

  // Ends the capture. Errors: Internal; the devices are usable all the same.
  virtual std::unique_ptr<DeviceGraph> End() = 0;
};

// The memory of a device that the host cannot address, and the device's stream.
//
// Everything given to one device runs in the order in which it was given,
// later than the call; only CopyToHost and Synchronize wait for it.
//
// While a CaptureSession captures what is queued, the capturing threads may
// only enqueue: what would wait for the device, or copy from the host, is their
// FailedPrecondition. Other threads' calls wait until the capture is over.
//
// Thread-safe. Errors of all: Internal, when the device fails; it may be the
// failure of something queued earlier.
class DeviceMemory : public MemorySource {
 public:
  // Enqueues a copy; `from` may change as soon as this returns.
  void CopyFromHost(void* to, const void* from, size_t bytes);
  // Copies when all that was queued has run, and waits for it.
  void CopyToHost(void* to, const void* from, size_t bytes);
  // Enqueues a copy within this memory.
  void Copy(void* to, const void* from, size_t bytes);
  // Enqueues a copy from another device of the same kind: after what is queued
  // there by now, and before what will be.
  void CopyFrom(DeviceMemory& other, void* to, const void* from, size_t bytes);
  // Enqueues writing the `value_bytes` (1, 2, 4 or 8) at `value` `count` times.
  void Fill(void* to, const void* value, size_t value_bytes, int64_t count);
  // Waits for all that was queued.
  void Synchronize();

  // The stream that all of the above is given to is kCompute of these.
  virtual DeviceStreams& streams() = 0;

  // Captures what is queued on `devices`, of which this is the first one's
  // memory, until the capture ends. CaptureSession calls it, whose rules are
  // those of the capture. REQUIRES: all are of one kind, none is captured.
  virtual std::unique_ptr<GraphCapture> BeginCapture(
      std::span<Device* const> devices) = 0;

  // Held alone by who captures, shared by other threads that enqueue.
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
  // In the host's memory.
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
  // Its memory, if that is not the host's; else nullptr.
  DeviceMemory* memory() const { return memory_.get(); }
  // The host can address its memory.
  bool on_host() const { return memory_ == nullptr; }

  // CPU:0, in whose memory strings live and from which data is handed out.
  static Device& Host();
  // Where the calling thread makes its tensors; CPU:0 unless a DeviceScope
  // says otherwise.
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

// Sets how many logical CPU devices there are (1 at start). Devices already
// handed out stay valid. Errors: InvalidArgument for count < 1.
void SetLogicalCpuDevices(int count);

// Divides GPU number `gpu` of the machine into `count` logical devices, each
// with its own stream and pool (1 at start). Logical devices are numbered
// through all GPUs. Devices already handed out stay valid.
// Errors: InvalidArgument for count < 1; NotFound for a GPU that is not there.
void SetLogicalGpuDevices(int gpu, int count);

// All logical devices in order: GPUs where there are any, then CPUs.
std::vector<Device*> ListLogicalDevices();

// Accepts "CPU:1", "cpu:1", "/cpu:1", "/device:CPU:1" and TensorFlow's long
// form. Errors: InvalidArgument for a name of no known form; NotFound for a
// device that does not exist, with the ones that do.
Device& FindDevice(std::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_DEVICE_H_
