// Memory of one device, kept for reuse, so that a training step allocates
// nothing new.
//
//   MemoryPool pool;
//   void* a = pool.Allocate(1000);   // from the system, 64-byte aligned
//   pool.Free(a, 1000);              // kept
//   void* b = pool.Allocate(1010);   // the same block again
//
// Blocks come in size classes (four to a power of two, so at most a quarter is
// wasted). Thread-safe; a block may be freed on another thread.
//
// On a device with a stream, a freed block can be reused at once, because later
// work runs later. If another stream uses a block, the device's stream must
// wait for that stream before the block is freed.
#ifndef LOCKSTEP_REFERENCE_DEVICE_MEMORY_POOL_H_
#define LOCKSTEP_REFERENCE_DEVICE_MEMORY_POOL_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace lockstep {

// The source of a MemoryPool's blocks. Thread-safe.
class MemorySource {
 public:
  static constexpr size_t kAlignment = 64;

  virtual ~MemorySource() = default;

  // A block aligned to kAlignment; nullptr if no memory is left.
  virtual void* Take(size_t bytes) = 0;
  // Whether blocks can be returned now. Until then a pool keeps its unused
  // blocks.
  virtual bool CanReturn() const { return true; }
  // REQUIRES: `block` came from Take(bytes).
  virtual void Return(void* block, size_t bytes) noexcept = 0;
  // Makes other pools that share this memory return their unused blocks.
  virtual void Reclaim() {}
  // Its name and, if known, how much memory is left; for error messages.
  virtual std::string Describe() const = 0;
};

// The memory of the processor.
MemorySource& HostMemory();

class MemoryPool {
 public:
  static constexpr size_t kAlignment = MemorySource::kAlignment;

  // REQUIRES: `source` outlives the pool.
  explicit MemoryPool(MemorySource& source = HostMemory());
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // If the source has no memory, returns unused blocks to it and tries again.
  // Errors: ResourceExhausted, with the sizes requested, in use and left; the
  // pool stays usable.
  void* Allocate(size_t bytes);
  // REQUIRES: `block` came from Allocate(bytes) of this pool.
  void Free(void* block, size_t bytes) noexcept;

  // Returns unused blocks to the source, if CanReturn.
  void Trim();

  struct Statistics {
    int64_t system_allocations = 0;  // blocks ever taken from the source
    int64_t bytes_in_use = 0;        // in size classes
    int64_t peak_bytes_in_use = 0;
    int64_t bytes_cached = 0;
  };
  Statistics statistics() const;

 private:
  void* TakeFromSource(size_t bytes);
  void ReturnUnused();
  void CountUse(size_t bytes);  // REQUIRES: mutex_ is held

  MemorySource& source_;
  mutable std::mutex mutex_;
  std::vector<std::vector<void*>> free_blocks_;  // one list per size class
  Statistics statistics_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_MEMORY_POOL_H_
