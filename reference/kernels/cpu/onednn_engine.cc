#include "reference/kernels/cpu/onednn_engine.h"

#include <execinfo.h>

#include <exception>
#include <new>

#include "reference/base/check.h"
#include "reference/base/error.h"

// Declares two functions of OpenMP, because omp.h depends on the compiler and
// the names are standard.
extern "C" {
void omp_set_num_threads(int);
int omp_get_max_threads(void);
}

namespace lockstep::kernels_internal {
namespace {

// oneDNN generates code within pthread_once. An exception there, such as
// bad_alloc, passes through the C library, which then loads its unwinder and
// aborts if memory is exhausted. So the unwinder is loaded at the start.
[[maybe_unused]] const int kUnwinderIsLoaded = [] {
  void* frame = nullptr;
  return backtrace(&frame, 1);
}();

}  // namespace

OneDnnThread::OneDnnThread() : previous_width_(omp_get_max_threads()) {
  if (previous_width_ != 1) omp_set_num_threads(1);
}

OneDnnThread::~OneDnnThread() {
  if (previous_width_ != 1) omp_set_num_threads(previous_width_);
}

const dnnl::engine& OneDnnEngine() {
  static const auto* engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

dnnl::stream& OneDnnStream() {
  thread_local dnnl::stream stream(OneDnnEngine());
  return stream;
}

namespace {

Error NoMemory(std::string_view operation) {
  return ResourceExhausted("[{}] there is no memory for what oneDNN makes",
                           operation);
}

}  // namespace

void RethrowOneDnnError(std::string_view operation) {
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    throw NoMemory(operation);
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) throw NoMemory(operation);
    throw Internal("[{}] oneDNN: {}", operation, error.what());
  }
}

dnnl::memory::data_type OneDnnType(DType dtype) {
  using Type = dnnl::memory::data_type;
  switch (dtype) {
    case DType::kFloat32:
      return Type::f32;
    case DType::kBFloat16:
      return Type::bf16;
    case DType::kUInt8:
      return Type::u8;
    default:
      LOCKSTEP_CHECK(false);
  }
}

dnnl::memory OneDnnMemory(const dnnl::memory::desc& desc, const void* data) {
  return {desc, OneDnnEngine(), const_cast<void*>(data)};
}

namespace {

// The number of an instruction set has the bits of all sets that it includes.
bool Has(dnnl::cpu_isa wanted) {
  const auto bits = static_cast<int>(wanted);
  return (static_cast<int>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

}  // namespace

bool HasAvx512() {
  static const bool has = Has(dnnl::cpu_isa::avx512_core);
  return has;
}

bool MultipliesBFloat16() {
  static const bool has = Has(dnnl::cpu_isa::avx512_core_bf16);
  return has;
}

bool MultipliesTiles() {
  static const bool has = Has(dnnl::cpu_isa::avx512_core_amx);
  return has;
}

}  // namespace lockstep::kernels_internal
