// oneDNN on our threads: its engine and streams, and what it can multiply.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_ONEDNN_ENGINE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_ONEDNN_ENGINE_H_

#include <dnnl.hpp>
#include <string_view>

#include "reference/tensor/dtype.h"

namespace lockstep::kernels_internal {

// While it lives oneDNN runs on the calling thread alone.
//
// oneDNN splits its work with OpenMP; our loops are split already, so each call
// runs under a OneDnnThread, which sets the thread's OpenMP width to 1 (no
// parallel region is opened then) and puts the caller's width back.
class OneDnnThread {
 public:
  OneDnnThread();
  ~OneDnnThread();
  OneDnnThread(const OneDnnThread&) = delete;
  OneDnnThread& operator=(const OneDnnThread&) = delete;

 private:
  int previous_width_;
};

// oneDNN's processor, and what it can multiply there.
const dnnl::engine& OneDnnEngine();
// The calling thread's own.
dnnl::stream& OneDnnStream();

// What a caller of ours hears of an exception of oneDNN's, within a handler:
//
//   try { ... } catch (...) { RethrowOneDnnError("Conv2D"); }
//
// Errors: ResourceExhausted where it had no memory, Internal for what else it
// says; an exception that is none of its own stays as it is.
[[noreturn]] void RethrowOneDnnError(std::string_view operation);

// REQUIRES: float32, bfloat16 or uint8.
dnnl::memory::data_type OneDnnType(DType dtype);
// Memory of the caller's, which must outlive what is returned. A primitive that
// only reads it leaves it alone.
dnnl::memory OneDnnMemory(const dnnl::memory::desc& desc, const void* data);

// Below AVX-512 oneDNN has no bfloat16, and the order in which a product adds up
// depends on how many rows it has.
bool HasAvx512();

// The processor multiplies bfloat16 by instructions of its own (AVX512_BF16 or
// AMX), adding up in float32; elsewhere float32 is as exact and faster.
bool MultipliesBFloat16();

// It multiplies whole tiles of them at once (AMX), which is some eight times as
// fast as float32.
bool MultipliesTiles();

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_ONEDNN_ENGINE_H_
