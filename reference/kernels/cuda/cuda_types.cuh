// The types in which kernels compute.
//
//   VisitCudaFloat(dtype, [&]<typename T>() { Kernel<T><<<...>>>(...); });
//
// 16-bit values are converted to float and rounded once.
#ifndef LOCKSTEP_REFERENCE_KERNELS_CUDA_CUDA_TYPES_CUH_
#define LOCKSTEP_REFERENCE_KERNELS_CUDA_CUDA_TYPES_CUH_

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "reference/base/check.h"
#include "reference/device/cuda/for_each.cuh"
#include "reference/tensor/dtype.h"

namespace lockstep::cuda {

// The type in which a T is computed.
template <typename T>
struct ComputeType {
  using type = float;
};
template <>
struct ComputeType<double> {
  using type = double;
};
template <typename T>
using Compute = typename ComputeType<T>::type;

template <typename T>
__device__ Compute<T> Widen(T value) {
  return static_cast<Compute<T>>(value);
}

// The elements of one thread: FirstElement(), then steps of GridStride().
template <typename Number = int64_t>
__device__ Number FirstElement() {
  return static_cast<Number>(blockIdx.x) * Number{kThreadsPerBlock} +
         static_cast<Number>(threadIdx.x);
}
template <typename Number = int64_t>
__device__ Number GridStride() {
  return static_cast<Number>(gridDim.x) * Number{kThreadsPerBlock};
}

// Calls body with the integer type for indices of `count` elements. 64-bit
// division is several times slower.
template <class Body>
void VisitNumber(int64_t count, const Body& body) {
  constexpr int64_t kFits = int64_t{1} << 30;  // with room for one grid stride
  if (count < kFits) return body.template operator()<int32_t>();
  body.template operator()<int64_t>();
}

// REQUIRES: a floating dtype.
template <class Body>
void VisitCudaFloat(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::kFloat32:
      return body.template operator()<float>();
    case DType::kFloat64:
      return body.template operator()<double>();
    case DType::kBFloat16:
      return body.template operator()<__nv_bfloat16>();
    case DType::kFloat16:
      return body.template operator()<__half>();
    default:
      LOCKSTEP_CHECK(!"a floating type");
  }
}

// REQUIRES: float32 or one of 16 bits.
template <class Body>
void VisitUpToFloat32(DType dtype, const Body& body) {
  if (dtype == DType::kFloat32) return body.template operator()<float>();
  if (dtype == DType::kFloat16) return body.template operator()<__half>();
  LOCKSTEP_CHECK(dtype == DType::kBFloat16);
  body.template operator()<__nv_bfloat16>();
}

}  // namespace lockstep::cuda

#endif  // LOCKSTEP_REFERENCE_KERNELS_CUDA_CUDA_TYPES_CUH_
