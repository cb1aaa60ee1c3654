// Captures what threads enqueue on some devices, and the memory it uses.
//
//   CaptureSession session(devices);
//   {                                    // on any thread, or on several
//     PrivateMemory::Scope scope(*session.memory());
//     ... kernels, copies, fills ...     // queued, not run
//   }
//   CapturedWork work = session.Finish();
//   work.graph->Launch();                // runs it, as often as wanted
//
// The capture begins in the first device's stream, and the others' follow it:
// so streams may wait for each other within it, as the devices of an all-reduce
// do.
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

// Memory that the work of one graph uses, and nobody else gets.
//
// While a thread is inside a Scope, what it allocates on the devices comes from
// here, and what it frees stays here: a graph goes on reading and writing the
// addresses of its capture. The blocks come from the devices' pools, which get
// them back when the last holder of this memory is gone.
//
//   auto memory = std::make_shared<PrivateMemory>(devices);
//   {
//     PrivateMemory::Scope scope(*memory);
//     Tensor::Empty(Shape{8});   // in private memory; keeps it alive
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

  // It has memory of this device.
  bool Serves(const Device& device) const;
  // Errors: ResourceExhausted. REQUIRES of both: Serves(device).
  void* Allocate(const Device& device, size_t bytes);
  void Free(const Device& device, void* block, size_t bytes) noexcept;
  // Takes over a block of the device's own pool that captured work may read
  // again: it goes back to that pool with everything else.
  // REQUIRES: Serves(device).
  void Keep(Device& device, void* block, size_t bytes);

  // "GPU:0"; "a GPU" for one that is not among the devices.
  std::string NameOf(const DeviceMemory& memory) const;

  // That of the calling thread's innermost scope; nullptr outside of all.
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

// The graph and what it reads and writes; the graph goes first.
struct CapturedWork {
  std::shared_ptr<PrivateMemory> memory;
  std::unique_ptr<DeviceGraph> graph;
};

// Used by one thread; only the scopes may be on others.
class CaptureSession {
 public:
  // Waits until nobody else enqueues on or captures any of the devices, and
  // keeps others waiting until the session ends. Errors: those of the backend.
  // REQUIRES: at least one device, none of them the host's.
  explicit CaptureSession(const std::vector<Device*>& devices);
  // Throws what was captured away, unless Finish was called.
  ~CaptureSession();
  CaptureSession(const CaptureSession&) = delete;
  CaptureSession& operator=(const CaptureSession&) = delete;

  const std::shared_ptr<PrivateMemory>& memory() const { return memory_; }

  // Errors: Internal. REQUIRES: called once, when all scopes have ended.
  CapturedWork Finish();
  // Throws what was captured away; the devices run what they are given again.
  // The memory stays as long as this. REQUIRES: all scopes have ended.
  void Abandon() noexcept;

 private:
  using Turn = std::unique_lock<std::shared_mutex>;

  std::shared_ptr<PrivateMemory> memory_;
  std::vector<Turn> turns_;  // one a device
  std::unique_ptr<GraphCapture> capture_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_CAPTURE_SESSION_H_
