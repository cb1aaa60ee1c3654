// Memory of one device, kept for reuse: a training step allocates nothing new.
//
//   MemoryPool pool;
//   void* a = pool.Allocate(1000);   // from the system, 64-byte aligned
//   pool.Free(a, 1000);              // kept
//   void* b = pool.Allocate(1010);   // the same block again
//
// Blocks come in size classes (four to a power of two, so at most a quarter is
// wasted). Thread-safe; a block may be freed on another thread.
#ifndef LOCKSTEP_REFERENCE_DEVICE_MEMORY_POOL_H_
#define LOCKSTEP_REFERENCE_DEVICE_MEMORY_POOL_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace lockstep {

class MemoryPool {
 public:
  static constexpr size_t kAlignment = 64;

  MemoryPool();
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // Errors: ResourceExhausted with the size when the system has no memory.
  void* Allocate(size_t bytes);
  // REQUIRES: `block` came from Allocate(bytes) of this pool.
  void Free(void* block, size_t bytes) noexcept;

  // Returns unused blocks to the system.
  void Trim();

  struct Statistics {
    int64_t system_allocations = 0;  // blocks ever taken from the system
    int64_t bytes_in_use = 0;        // in size classes
    int64_t bytes_cached = 0;
  };
  Statistics statistics() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::vector<void*>> free_blocks_;  // one list a size class
  Statistics statistics_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_MEMORY_POOL_H_
