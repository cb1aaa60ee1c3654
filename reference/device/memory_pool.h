// Memory of one device, kept for reuse: a training step allocates nothing new.
//
//   MemoryPool pool;
//   void* a = pool.Allocate(1000);   // from the system, 64-byte aligned
//   pool.Free(a, 1000);              // kept
//   void* b = pool.Allocate(1010);   // the same block again
//
// Blocks come in size classes (four to a power of two, so at most a quarter is
// wasted). Thread-safe; a block may be freed on another thread.
//
// On a device that works through a stream, a freed block is handed out again at
// once: what is queued later for the same device runs later. Whoever lets
// another stream use a block makes the device's stream wait for it before the
// block is freed.
#ifndef LOCKSTEP_REFERENCE_DEVICE_MEMORY_POOL_H_
#define LOCKSTEP_REFERENCE_DEVICE_MEMORY_POOL_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace lockstep {

// Where a MemoryPool takes its blocks from. Thread-safe.
class MemorySource {
 public:
  static constexpr size_t kAlignment = 64;

  virtual ~MemorySource() = default;

  // A block aligned to kAlignment; nullptr when there is no memory.
  virtual void* Take(size_t bytes) = 0;
  // Whether it can take blocks back now; a pool keeps its unused ones until
  // then.
  virtual bool CanReturn() const { return true; }
  // REQUIRES: `block` came from Take(bytes).
  virtual void Return(void* block, size_t bytes) noexcept = 0;
  // Asks others who share this memory to return what they keep unused.
  virtual void Reclaim() {}
  // What it is and, where that is known, how much is left; for errors.
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

  // Where the source has no memory, gives it back what is unused and asks
  // again. Errors: ResourceExhausted with the sizes asked for, in use and left
  // when that was not enough either; the pool is as usable as before.
  void* Allocate(size_t bytes);
  // REQUIRES: `block` came from Allocate(bytes) of this pool.
  void Free(void* block, size_t bytes) noexcept;

  // Returns unused blocks to the source, where that can take them now.
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
  std::vector<std::vector<void*>> free_blocks_;  // one list a size class
  Statistics statistics_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_MEMORY_POOL_H_
