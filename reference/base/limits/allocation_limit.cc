#include "reference/base/limits/allocation_limit.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace lockstep {
namespace {

constexpr int64_t kNoLimit = INT64_MAX;

std::atomic<int64_t> allocations_left{kNoLimit};

bool IsTooMany() {
  return allocations_left.load() != kNoLimit &&
         allocations_left.fetch_sub(1) <= 0;
}

}  // namespace

AllocationLimit::AllocationLimit(int64_t more) { allocations_left = more; }

AllocationLimit::~AllocationLimit() { allocations_left = kNoLimit; }

}  // namespace lockstep

// The linker finds these before the standard library's, whose other forms call
// them.
void* operator new(size_t bytes) {
  void* block = lockstep::IsTooMany() ? nullptr : std::malloc(bytes + 1);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
