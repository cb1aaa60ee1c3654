// oneDNN on our threads: its engine and streams, and the types it multiplies.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CPU_ONEDNN_ENGINE_H_
#define LOCKSTEP_REFERENCE_KERNELS_CPU_ONEDNN_ENGINE_H_

#include <dnnl.hpp>
#include <string_view>

#include "reference/tensor/dtype.h"

namespace lockstep::kernels_internal {

// While it lives, oneDNN runs on the calling thread only.
//
// oneDNN splits its work with OpenMP, but our loops are already split. So each
// call runs under a OneDnnThread, which sets the thread's OpenMP width to 1, so
// that no parallel region is opened, and restores the caller's width.
class OneDnnThread {
 public:
  OneDnnThread();
  ~OneDnnThread();
  OneDnnThread(const OneDnnThread&) = delete;
  OneDnnThread& operator=(const OneDnnThread&) = delete;

 private:
  int previous_width_;
};

// oneDNN's CPU engine.
const dnnl::engine& OneDnnEngine();
// The calling thread's stream.
dnnl::stream& OneDnnStream();

// Rethrows the current exception, if it is oneDNN's, as one of ours:
//
//   try { ... } catch (...) { RethrowOneDnnError("Conv2D"); }
//
// Errors: ResourceExhausted if oneDNN had no memory, Internal for its other
// errors. Rethrows other exceptions unchanged.
[[noreturn]] void RethrowOneDnnError(std::string_view operation);

// REQUIRES: float32, bfloat16 or uint8.
dnnl::memory::data_type OneDnnType(DType dtype);
// Wraps the caller's memory, which must outlive the result. A primitive that
// takes it as a source does not write to it.
dnnl::memory OneDnnMemory(const dnnl::memory::desc& desc, const void* data);

// Describes a primitive. oneDNN 2 takes an operation's description (of a sum,
// the arguments directly), oneDNN 3 the same arguments directly, after the
// engine.
template <typename Primitive, typename... Arguments>
typename Primitive::primitive_desc DescribePrimitive(
    const dnnl::primitive_attr& attributes, const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {OneDnnEngine(), arguments..., attributes};
#else
  if constexpr (requires { typename Primitive::desc; }) {
    return {typename Primitive::desc(arguments...), attributes, OneDnnEngine()};
  } else {
    return {arguments..., OneDnnEngine(), attributes};
  }
#endif
}

// Describes a gradient, for which oneDNN needs the description of the forward
// primitive.
template <typename Primitive, typename Forward, typename... Arguments>
typename Primitive::primitive_desc DescribeGradient(
    const dnnl::primitive_attr& attributes, const Forward& forward,
    const Arguments&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {OneDnnEngine(), arguments..., forward, attributes};
#else
  return {typename Primitive::desc(arguments...), attributes, OneDnnEngine(),
          forward};
#endif
}

// Calls `describe` with the layout that two arrays share, such as a function's
// argument and its result: once for oneDNN 2, twice for oneDNN 3.
//
//   DescribeSameLayout(x, [](const auto&... both) {
//     return DescribePrimitive<dnnl::eltwise_forward>({}, kind, kRelu, both...);
//   });
template <typename Describe>
auto DescribeSameLayout(const dnnl::memory::desc& layout,
                        const Describe& describe) {
#if DNNL_VERSION_MAJOR >= 3
  return describe(layout, layout);
#else
  return describe(layout);
#endif
}

#if DNNL_VERSION_MAJOR >= 3
using OneDnnPooling = dnnl::pooling_forward;
using OneDnnPoolingGradient = dnnl::pooling_backward;
using OneDnnSoftmax = dnnl::softmax_forward;
using OneDnnSoftmaxGradient = dnnl::softmax_backward;
#else
using OneDnnPooling = dnnl::pooling_v2_forward;
using OneDnnPoolingGradient = dnnl::pooling_v2_backward;
using OneDnnSoftmax = dnnl::softmax_v2_forward;
using OneDnnSoftmaxGradient = dnnl::softmax_v2_backward;
#endif

// Without AVX-512, oneDNN has no bfloat16, and the order of additions in a
// product depends on its number of rows.
bool HasAvx512();

// Whether the processor has instructions for bfloat16 products (AVX512_BF16 or
// AMX), which sum in float32. Otherwise float32 is as exact and faster.
bool MultipliesBFloat16();

// Whether it multiplies tiles of bfloat16 (AMX), about eight times as fast as
// float32.
bool MultipliesTiles();

}  // namespace lockstep::kernels_internal

#endif  // LOCKSTEP_REFERENCE_KERNELS_CPU_ONEDNN_ENGINE_H_
