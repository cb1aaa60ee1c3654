#include "reference/base/flush_denormals.h"

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace lockstep {
namespace {

// The register that says how floating-point numbers are computed with, and its
// bits about denormal numbers.
#if defined(__x86_64__)
constexpr uint64_t kFlush = 0x8040;  // results, operands
uint64_t Mode() { return _mm_getcsr(); }
void SetMode(uint64_t mode) { _mm_setcsr(static_cast<uint32_t>(mode)); }
#elif defined(__aarch64__)
constexpr uint64_t kFlush = uint64_t{1} << 24;
uint64_t Mode() { return __builtin_aarch64_get_fpcr64(); }
void SetMode(uint64_t mode) { __builtin_aarch64_set_fpcr64(mode); }
#else
constexpr uint64_t kFlush = 1;
uint64_t Mode() { return 0; }
void SetMode(uint64_t) {}
#endif

}  // namespace

FlushDenormals::FlushDenormals(bool flush) : previous_(Mode()) {
  SetMode(flush ? previous_ | kFlush : previous_ & ~kFlush);
}

FlushDenormals::~FlushDenormals() { SetMode(previous_); }

bool FlushDenormals::Active() { return (Mode() & kFlush) == kFlush; }

}  // namespace lockstep
