#include "reference/device/memory_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "reference/base/error.h"

namespace lockstep {
namespace {

// With pages of 4 kB, address translation limits the speed of access to large
// blocks. The system may ignore the advice.
constexpr size_t kHugePageBytes = size_t{2} << 20;

class HostMemorySource final : public MemorySource {
 public:
  void* Take(size_t bytes) override {
    const bool large = bytes >= kHugePageBytes;
    void* block = nullptr;
    if (posix_memalign(&block, large ? kHugePageBytes : kAlignment, bytes)) {
      return nullptr;
    }
    if (large) madvise(block, bytes, MADV_HUGEPAGE);
    return block;
  }

  void Return(void* block, size_t) noexcept override { std::free(block); }

  std::string Describe() const override { return "the system's memory"; }
};

}  // namespace

MemorySource& HostMemory() {
  static MemorySource* source = new HostMemorySource;  // outlives every pool
  return *source;
}

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
  const size_t spacing = (size_t{1} << octave) / kClassesPerOctave;
  const size_t quarters = (bytes + spacing - 1) / spacing;  // 4..8
  return {octave * kClassesPerOctave +
              static_cast<int>(quarters - kClassesPerOctave),
          quarters * spacing};
}

// The size of the class with this index; the inverse of ClassOf.
size_t BytesOf(int index) {
  const size_t spacing =
      (size_t{1} << (index / kClassesPerOctave)) / kClassesPerOctave;
  return (index % kClassesPerOctave + kClassesPerOctave) * spacing;
}

}  // namespace

MemoryPool::MemoryPool(MemorySource& source)
    : source_(source), free_blocks_(kClasses + kClassesPerOctave) {}

MemoryPool::~MemoryPool() { ReturnUnused(); }

void* MemoryPool::Allocate(size_t bytes) {
  if (bytes > PTRDIFF_MAX) {  // no address space is that large
    throw ResourceExhausted("[Allocate] no memory for {} bytes", bytes);
  }
  const SizeClass size = ClassOf(bytes);
  {
    std::lock_guard lock(mutex_);
    std::vector<void*>& blocks = free_blocks_[size.index];
    if (!blocks.empty()) {
      void* block = blocks.back();
      blocks.pop_back();
      CountUse(size.bytes);
      statistics_.bytes_cached -= size.bytes;
      return block;
    }
  }
  void* block = TakeFromSource(size.bytes);
  if (block == nullptr) {
    throw ResourceExhausted(
        "[Allocate] no memory for {} bytes, {} in use; from {}", bytes,
        statistics().bytes_in_use, source_.Describe());
  }
  std::lock_guard lock(mutex_);
  CountUse(size.bytes);
  ++statistics_.system_allocations;
  return block;
}

void MemoryPool::CountUse(size_t bytes) {
  statistics_.bytes_in_use += static_cast<int64_t>(bytes);
  statistics_.peak_bytes_in_use =
      std::max(statistics_.peak_bytes_in_use, statistics_.bytes_in_use);
}

// Called without the lock, because other pools of the same memory may be
// trimmed.
void* MemoryPool::TakeFromSource(size_t bytes) {
  void* block = source_.Take(bytes);
  if (block != nullptr) return block;
  Trim();
  source_.Reclaim();
  return source_.Take(bytes);
}

void MemoryPool::Free(void* block, size_t bytes) noexcept {
  const SizeClass size = ClassOf(bytes);
  std::lock_guard lock(mutex_);
  statistics_.bytes_in_use -= size.bytes;
  try {
    free_blocks_[size.index].push_back(block);
    statistics_.bytes_cached += size.bytes;
  } catch (const std::bad_alloc&) {
    // No memory is left for the list of free blocks.
    if (source_.CanReturn()) source_.Return(block, size.bytes);
  }
}

void MemoryPool::Trim() {
  if (source_.CanReturn()) ReturnUnused();
}

void MemoryPool::ReturnUnused() {
  std::lock_guard lock(mutex_);
  for (int i = 0; i < static_cast<int>(free_blocks_.size()); ++i) {
    for (void* block : free_blocks_[i]) source_.Return(block, BytesOf(i));
    free_blocks_[i].clear();
  }
  statistics_.bytes_cached = 0;
}

MemoryPool::Statistics MemoryPool::statistics() const {
  std::lock_guard lock(mutex_);
  return statistics_;
}

}  // namespace lockstep
