// Captures the work that threads enqueue on some devices, and the memory it
// uses.
//
//   CaptureSession session(devices);
//   {                                    // on any thread, or on several
//     PrivateMemory::Scope scope(*session.memory());
//     ... kernels, copies, fills ...     // queued, not run
//   }
//   CapturedWork work = session.Finish();
//   work.graph->Launch();                // runs it, any number of times
//
// The capture begins in the first device's stream, and the other streams join
// it. Streams may therefore wait for each other within the capture, as the
// devices of an all-reduce do.
#ifndef LOCKSTEP_REFERENCE_DEVICE_CAPTURE_SESSION_H_
#define LOCKSTEP_REFERENCE_DEVICE_CAPTURE_SESSION_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "reference/device/device.h"

namespace lockstep {

// Memory reserved for the work of one graph.
//
// While a thread is inside a Scope, what it allocates on the devices comes from
// here, and what it frees returns here, because the graph keeps reading and
// writing the addresses of its capture. The blocks come from the devices' pools
// and return there when the last reference to this memory is gone.
//
//   auto memory = std::make_shared<PrivateMemory>(devices);
//   {
//     PrivateMemory::Scope scope(*memory);
//     Tensor::Empty(Shape{8});   // in private memory, which it keeps alive
//   }
//
// Thread-safe.
class PrivateMemory : public std::enable_shared_from_this<PrivateMemory> {
 public:
  // REQUIRES: made as a shared_ptr; the devices outlive it.
  explicit PrivateMemory(const std::vector<Device*>& devices);
  ~PrivateMemory();
  PrivateMemory(const PrivateMemory&) = delete;
  PrivateMemory& operator=(const PrivateMemory&) = delete;

  // True if it has memory of this device.
  bool Serves(const Device& device) const;
  // Errors: ResourceExhausted. REQUIRES of both: Serves(device).
  void* Allocate(const Device& device, size_t bytes);
  void Free(const Device& device, void* block, size_t bytes) noexcept;
  // Takes over a block of the device's own pool that captured work may read
  // again. The block returns to that pool with the rest of this memory.
  // REQUIRES: Serves(device).
  void Keep(Device& device, void* block, size_t bytes);

  // "GPU:0"; "a GPU" for one that is not among the devices.
  std::string NameOf(const DeviceMemory& memory) const;

  // The memory of the calling thread's innermost scope; nullptr outside any
  // scope.
  static PrivateMemory* Current();

  class Scope {
   public:
    explicit Scope(PrivateMemory& memory);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    PrivateMemory* previous_;
  };

 private:
  // One device's part.
  struct Part;
  struct KeptBlock {
    Device* device;
    void* block;
    size_t bytes;
  };
  Part* Find(const Device& device) const;

  std::vector<std::unique_ptr<Part>> parts_;
  std::mutex mutex_;
  std::vector<KeptBlock> kept_;
};

// A graph and the memory it uses. The graph is destroyed first.
struct CapturedWork {
  std::shared_ptr<PrivateMemory> memory;
  std::unique_ptr<DeviceGraph> graph;
};

// Not thread-safe, but scopes may be on other threads.
class CaptureSession {
 public:
  // Waits until no other thread enqueues work on the devices or captures them,
  // and makes other threads wait until the session ends. Errors: those of the
  // backend. REQUIRES: at least one device, none of them the host's.
  explicit CaptureSession(const std::vector<Device*>& devices);
  // Discards the captured work, unless Finish was called.
  ~CaptureSession();
  CaptureSession(const CaptureSession&) = delete;
  CaptureSession& operator=(const CaptureSession&) = delete;

  const std::shared_ptr<PrivateMemory>& memory() const { return memory_; }

  // Errors: Internal. REQUIRES: called once, when all scopes have ended.
  CapturedWork Finish();
  // Discards the captured work; the devices run new work again. The memory
  // lives as long as this object. REQUIRES: all scopes have ended.
  void Abandon() noexcept;

 private:
  using Turn = std::unique_lock<std::shared_mutex>;

  std::shared_ptr<PrivateMemory> memory_;
  std::vector<Turn> turns_;  // one per device
  std::unique_ptr<GraphCapture> capture_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CAPTURE_SESSION_H_
