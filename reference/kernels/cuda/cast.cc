// The GPU version of Tensor::Cast.
#include "reference/base/check.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/cast_launch.h"
#include "reference/tensor/gpu_cast.h"

namespace lockstep {
namespace {

using cuda::NumberType;

NumberType NumberTypeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return NumberType::kFloat32;
    case DType::kFloat64:
      return NumberType::kFloat64;
    case DType::kBFloat16:
      return NumberType::kBFloat16;
    case DType::kFloat16:
      return NumberType::kFloat16;
    case DType::kInt32:
      return NumberType::kInt32;
    case DType::kInt64:
      return NumberType::kInt64;
    case DType::kUInt8:
      return NumberType::kUInt8;
    default:
      LOCKSTEP_CHECK(dtype == DType::kBool);
      return NumberType::kBool;
  }
}

Tensor CastOnGpu(const Tensor& x, DType dtype) {
  Tensor y = Tensor::Empty(x.shape(), dtype, x.device());
  VisitDType(x.dtype(), [&]<typename From>() {
    if constexpr (kIsNumber<From>) {
      CheckCuda(
          cuda::Cast(x.data<From>(), y.mutable_raw_data(), NumberTypeOf(dtype),
                     x.num_elements(), StreamOf(x.device())),
          "[Cast] launch");
    }
  });
  return y;
}

const RegisterKernel cast(gpu::Cast, &CastOnGpu);

}  // namespace
}  // namespace lockstep
