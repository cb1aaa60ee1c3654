// oneDNN's processor, and what it can multiply there.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_ONEDNN_ENGINE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_ONEDNN_ENGINE_H_

#include <dnnl.hpp>

namespace lockstep::kernels_internal {

const dnnl::engine& OneDnnEngine();
// The calling thread's own.
dnnl::stream& OneDnnStream();

// The processor multiplies bfloat16 by instructions of its own (AVX512_BF16 or
// AMX), adding up in float32; elsewhere float32 is as exact and faster.
bool MultipliesBFloat16();

// It multiplies whole tiles of them at once (AMX), which is some eight times as
// fast as float32.
bool MultipliesTiles();

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_ONEDNN_ENGINE_H_
