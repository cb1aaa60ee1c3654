#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/cuda/cast_launch.h"
#include "reference/tensor/cast_number.h"

namespace lockstep::cuda {

template <typename To, typename From>
__device__ void Store(void* y, int64_t i, From value) {
  static_cast<To*>(y)[i] = CastNumber<To>(value);
}

// One kernel for each type that is read: 8 to compile, not 64.
template <typename From>
cudaError_t Cast(const From* x, void* y, NumberType to, int64_t count,
                 cudaStream_t stream) {
  return ForEach(count, stream, [=] __device__(int64_t i) {
    switch (to) {
      case NumberType::kFloat32:
        return Store<float>(y, i, x[i]);
      case NumberType::kFloat64:
        return Store<double>(y, i, x[i]);
      case NumberType::kBFloat16:
        return Store<BFloat16>(y, i, x[i]);
      case NumberType::kFloat16:
        return Store<Float16>(y, i, x[i]);
      case NumberType::kInt32:
        return Store<int32_t>(y, i, x[i]);
      case NumberType::kInt64:
        return Store<int64_t>(y, i, x[i]);
      case NumberType::kUInt8:
        return Store<uint8_t>(y, i, x[i]);
      case NumberType::kBool:
        return Store<bool>(y, i, x[i]);
    }
  });
}

#define LOCKSTEP_CAST(From)                                          \
  template cudaError_t Cast(const From*, void*, NumberType, int64_t, \
                            cudaStream_t)
LOCKSTEP_CAST(float);
LOCKSTEP_CAST(double);
LOCKSTEP_CAST(BFloat16);
LOCKSTEP_CAST(Float16);
LOCKSTEP_CAST(int32_t);
LOCKSTEP_CAST(int64_t);
LOCKSTEP_CAST(uint8_t);
LOCKSTEP_CAST(bool);
#undef LOCKSTEP_CAST

}  // namespace lockstep::cuda
