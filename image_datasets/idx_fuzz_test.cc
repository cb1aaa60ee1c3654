// Feeds arbitrary bytes to the IDX parser.
#include <cstddef>
#include <cstdint>

#include "image_datasets/idx.h"
#include "reference/base/check.h"
#include "reference/base/error.h"
#include "reference/device/device.h"

namespace lockstep {
namespace {

// deflate's limit is 1032; the rest is for the tensor.
constexpr int64_t kMostRatio = 1100;
constexpr int64_t kSmallest = 1 << 17;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  MemoryPool& pool = Device::Current().pool();
  try {
    ParseIdx({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const Error& e) {
    LOCKSTEP_CHECK(e.code() == Code::kDataLoss ||
                   e.code() == Code::kUnimplemented);
  }
  // Nothing is leaked, and no allocation was larger than the input can fill.
  const MemoryPool::Statistics memory = pool.statistics();
  LOCKSTEP_CHECK(memory.bytes_in_use == 0);
  LOCKSTEP_CHECK(memory.bytes_cached <=
                 kMostRatio * static_cast<int64_t>(size) + kSmallest);
  pool.Trim();
  return 0;
}

}  // namespace lockstep
