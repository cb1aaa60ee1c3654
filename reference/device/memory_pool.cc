#include "reference/device/memory_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "reference/base/error.h"

namespace lockstep {
namespace {

constexpr int kClassesPerOctave = 4;
constexpr int kClasses = 64 * kClassesPerOctave;

struct SizeClass {
  int index;
  size_t bytes;
};

// Rounds up to a multiple of a quarter of the power of two below.
SizeClass ClassOf(size_t bytes) {
  bytes = std::max(bytes, MemoryPool::kAlignment * kClassesPerOctave);
  const int octave = std::bit_width(bytes) - 1;
  const size_t step = (size_t{1} << octave) / kClassesPerOctave;
  const size_t quarters = (bytes + step - 1) / step;  // 4..8
  return {octave * kClassesPerOctave +
              static_cast<int>(quarters - kClassesPerOctave),
          quarters * step};
}

// Walks through large blocks are bound by address translation with the usual
// pages of 4 kB; the system may or may not follow the advice.
constexpr size_t kHugePageBytes = size_t{2} << 20;

void* AllocateFromSystem(size_t bytes) {
  const bool large = bytes >= kHugePageBytes;
  const size_t alignment = large ? kHugePageBytes : MemoryPool::kAlignment;
  void* block = nullptr;
  if (posix_memalign(&block, alignment, bytes) != 0) return nullptr;
  if (large) madvise(block, bytes, MADV_HUGEPAGE);
  return block;
}

}  // namespace

MemoryPool::MemoryPool() : free_blocks_(kClasses + kClassesPerOctave) {}

MemoryPool::~MemoryPool() { Trim(); }

void* MemoryPool::Allocate(size_t bytes) {
  if (bytes > PTRDIFF_MAX) {  // no address space is that large
    throw ResourceExhausted("[Allocate] no memory for {} bytes", bytes);
  }
  const SizeClass size = ClassOf(bytes);
  {
    std::lock_guard lock(mutex_);
    std::vector<void*>& blocks = free_blocks_[size.index];
    statistics_.bytes_in_use += size.bytes;
    if (!blocks.empty()) {
      void* block = blocks.back();
      blocks.pop_back();
      statistics_.bytes_cached -= size.bytes;
      return block;
    }
    ++statistics_.system_allocations;
  }
  void* block = AllocateFromSystem(size.bytes);
  if (block == nullptr) {
    std::lock_guard lock(mutex_);
    statistics_.bytes_in_use -= size.bytes;
    throw ResourceExhausted("[Allocate] no memory for {} bytes, {} in use",
                            bytes, statistics_.bytes_in_use);
  }
  return block;
}

void MemoryPool::Free(void* block, size_t bytes) noexcept {
  const SizeClass size = ClassOf(bytes);
  std::lock_guard lock(mutex_);
  free_blocks_[size.index].push_back(block);
  statistics_.bytes_in_use -= size.bytes;
  statistics_.bytes_cached += size.bytes;
}

void MemoryPool::Trim() {
  std::lock_guard lock(mutex_);
  for (std::vector<void*>& blocks : free_blocks_) {
    for (void* block : blocks) std::free(block);
    blocks.clear();
  }
  statistics_.bytes_cached = 0;
}

MemoryPool::Statistics MemoryPool::statistics() const {
  std::lock_guard lock(mutex_);
  return statistics_;
}

}  // namespace lockstep
