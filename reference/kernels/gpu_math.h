// How GPU kernels may trade accuracy and repeatable bits for speed.
//
//   SetGpuMath({.allow_tf32 = true});
//   Describe(CurrentGpuMath());       // "tf32 on, autotune off"
//
// Off by default: float32 products keep all their bits, and the same program
// gives the same bits each time it runs on the same machine.
#ifndef LOCKSTEP_REFERENCE_KERNELS_GPU_MATH_H_
#define LOCKSTEP_REFERENCE_KERNELS_GPU_MATH_H_

#include <string>

namespace lockstep {

struct GpuMath {
  // Matrix products and convolutions of float32 may round their inputs to
  // TensorFloat-32 (10 bits of fraction).
  bool allow_tf32 = false;
  // Convolutions and matrix products take the fastest of the best few plans,
  // each timed when a signature is first seen, instead of the one that the
  // library thinks best. Another run may take another one, with other rounding.
  bool autotune = false;

  bool operator==(const GpuMath&) const = default;
};

// For the whole process; takes effect with the next call of a kernel.
void SetGpuMath(const GpuMath& math);
GpuMath CurrentGpuMath();

// For reports: "tf32 off, autotune off".
std::string Describe(const GpuMath& math);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_KERNELS_GPU_MATH_H_
