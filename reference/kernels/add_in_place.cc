#include "reference/kernels/add_in_place.h"

#include <type_traits>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/wrapping_sum.h"

namespace lockstep::kernels {
namespace {

// Whether the GPU is to do it.
bool Check(const char* operation, const Tensor& target, const Tensor& delta) {
  if (target.dtype() == DType::kBool || target.dtype() == DType::kString) {
    throw InvalidArgument("[{}] wants numbers, got {}", operation,
                          Describe(target));
  }
  kernels_internal::CheckAlike(operation, target, delta);
  return OnGpu(operation, target, delta);
}

template <class Operation>
void ForEachPair(Tensor& target, const Tensor& delta,
                 const Operation& operation) {
  VisitDType(target.dtype(), [&]<typename T>() {
    if constexpr (kIsNumber<T> && !std::is_same_v<T, bool>) {
      T* out = target.mutable_data<T>();
      const T* in = delta.data<T>();
      const int64_t count = target.num_elements();
      for (int64_t i = 0; i < count; ++i) out[i] = operation(out[i], in[i]);
    }
  });
}

}  // namespace

void AddInPlace(Tensor& target, const Tensor& delta) {
  if (Check("AddInPlace", target, delta)) return gpu::AddInPlace(target, delta);
  ForEachPair(target, delta, [](auto a, auto b) {
    return kernels_internal::WrappingAdd(a, b);
  });
}

void SubtractInPlace(Tensor& target, const Tensor& delta) {
  if (Check("SubtractInPlace", target, delta)) {
    return gpu::SubtractInPlace(target, delta);
  }
  ForEachPair(target, delta, [](auto a, auto b) {
    return kernels_internal::WrappingSubtract(a, b);
  });
}

}  // namespace lockstep::kernels
