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
#ifndef LOCKSTEP_REFERENCE_DEVICE_PRIVATE_MEMORY_H_
#define LOCKSTEP_REFERENCE_DEVICE_PRIVATE_MEMORY_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "reference/device/device.h"

namespace lockstep {

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

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_PRIVATE_MEMORY_H_
