#include "reference/kernels/gpu_libraries.h"

#include <fmt/core.h>

#include <atomic>

namespace lockstep {
namespace {

std::atomic<GpuMath> current_math{GpuMath{}};

thread_local LibraryCalls* current = nullptr;

const char* Switch(bool on) { return on ? "on" : "off"; }

}  // namespace

void SetGpuMath(const GpuMath& math) { current_math.store(math); }

GpuMath CurrentGpuMath() { return current_math.load(); }

std::string Describe(const GpuMath& math) {
  return fmt::format("tf32 {}, autotune {}", Switch(math.allow_tf32),
                     Switch(math.autotune));
}

LibraryCalls* LibraryCalls::Current() { return current; }

LibraryCalls::Scope::Scope(LibraryCalls* calls)
    : previous_(std::exchange(current, calls)) {}

LibraryCalls::Scope::~Scope() { current = previous_; }

}  // namespace lockstep
