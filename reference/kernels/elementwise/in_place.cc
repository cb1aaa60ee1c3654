#include "reference/kernels/elementwise/in_place.h"

#include <type_traits>

#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/elementwise/element_math.h"
#include "reference/kernels/elementwise/elementwise_loops.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::BinaryOp;
using kernels_internal::BinaryRow;

// Returns whether the tensors are on a GPU.
bool Check(const char* operation, const Tensor& target, const Tensor& delta) {
  if (target.dtype() == DType::kBool || target.dtype() == DType::kString) {
    throw InvalidArgument("[{}] needs numbers, got {}", operation,
                          Describe(target));
  }
  kernels_internal::CheckSameTypeAndShape(operation, target, delta);
  return OnGpu(operation, target, delta);
}

// The types of the vector loops.
template <typename T>
constexpr bool kHasLoop =
    std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_same_v<T, BFloat16> || std::is_same_v<T, int32_t> ||
    std::is_same_v<T, int64_t>;

template <class Operation>
void ForEachPair(Tensor& target, const Tensor& delta, BinaryOp op,
                 const Operation& operation) {
  VisitDType(target.dtype(), [&]<typename T>() {
    if constexpr (kIsNumber<T> && !std::is_same_v<T, bool>) {
      T* out = target.mutable_data<T>();
      const T* in = delta.data<T>();
      constexpr int64_t kGrain = 16384;  // elements worth waking a thread for
      ParallelFor(target.num_elements(), kGrain,
                  [&](int64_t begin, int64_t end, int) {
                    if constexpr (kHasLoop<T>) {
                      BinaryRow(op, out + begin, 1, in + begin, 1, out + begin,
                                end - begin);
                    } else {
                      for (int64_t i = begin; i < end; ++i) {
                        out[i] = operation(out[i], in[i]);
                      }
                    }
                  });
    }
  });
}

}  // namespace

void AddInPlace(Tensor& target, const Tensor& delta) {
  if (Check("AddInPlace", target, delta)) return gpu::AddInPlace(target, delta);
  ForEachPair(target, delta, BinaryOp::kAdd, [](auto a, auto b) {
    return kernels_internal::WrappingAdd(a, b);
  });
}

void SubtractInPlace(Tensor& target, const Tensor& delta) {
  if (Check("SubtractInPlace", target, delta)) {
    return gpu::SubtractInPlace(target, delta);
  }
  ForEachPair(target, delta, BinaryOp::kSubtract, [](auto a, auto b) {
    return kernels_internal::WrappingSubtract(a, b);
  });
}

void AssignWhere(const Tensor& condition, Tensor& target, const Tensor& value) {
  kernels_internal::CheckSameTypeAndShape("AssignWhere", target, value);
  if (target.dtype() == DType::kString || condition.dtype() != DType::kBool ||
      condition.num_elements() != 1) {
    throw InvalidArgument(
        "[AssignWhere] needs numbers and one bool, got {}, {}",
        Describe(target), Describe(condition));
  }
  if (OnGpu("AssignWhere", target, value, condition)) {
    return gpu::AssignWhere(condition, target, value);
  }
  if (condition.item<bool>()) target.CopyFrom(value);
}

}  // namespace lockstep::kernels
