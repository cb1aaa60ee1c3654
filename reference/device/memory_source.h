// Where a MemoryPool takes its blocks from.
#ifndef LOCKSTEP_REFERENCE_DEVICE_MEMORY_SOURCE_H_
#define LOCKSTEP_REFERENCE_DEVICE_MEMORY_SOURCE_H_

#include <cstddef>
#include <string>

namespace lockstep {

// Thread-safe.
class MemorySource {
 public:
  static constexpr size_t kAlignment = 64;

  virtual ~MemorySource() = default;

  // A block aligned to kAlignment; nullptr when there is no memory.
  virtual void* Take(size_t bytes) = 0;
  // Whether it can take blocks back now; a pool keeps its unused ones until then.
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

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DEVICE_MEMORY_SOURCE_H_
