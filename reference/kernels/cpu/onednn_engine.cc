#include "reference/kernels/cpu/onednn_engine.h"

namespace lockstep::kernels_internal {

const dnnl::engine& OneDnnEngine() {
  static const auto* engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

dnnl::stream& OneDnnStream() {
  thread_local dnnl::stream stream(OneDnnEngine());
  return stream;
}

bool MultipliesBFloat16() {
  // The instruction sets are numbered by the bits of what they include.
  constexpr auto kWanted = static_cast<int>(dnnl::cpu_isa::avx512_core_bf16);
  static const bool has =
      (static_cast<int>(dnnl::get_effective_cpu_isa()) & kWanted) == kWanted;
  return has;
}

}  // namespace lockstep::kernels_internal

#ifdef __SANITIZE_THREAD__
// The library is built without ThreadSanitizer, which so does not see how it
// hands what it keeps from one thread to another.
extern "C" const char* __tsan_default_suppressions() {
  return "race:libdnnl.so\n";
}
#endif
