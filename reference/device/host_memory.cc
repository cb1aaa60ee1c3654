#include <sys/mman.h>

#include <cstdlib>

#include "reference/device/memory_source.h"

namespace lockstep {
namespace {

// Walks through large blocks are bound by address translation with the usual
// pages of 4 kB; the system may or may not follow the advice.
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

}  // namespace lockstep
