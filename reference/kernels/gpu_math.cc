#include "reference/kernels/gpu_math.h"

#include <fmt/format.h>

#include <atomic>

namespace lockstep {
namespace {

std::atomic<GpuMath> current_math{GpuMath{}};

const char* Switch(bool on) { return on ? "on" : "off"; }

}  // namespace

void SetGpuMath(const GpuMath& math) { current_math.store(math); }

GpuMath CurrentGpuMath() { return current_math.load(); }

std::string Describe(const GpuMath& math) {
  return fmt::format("tf32 {}, autotune {}", Switch(math.allow_tf32),
                     Switch(math.autotune));
}

}  // namespace lockstep
