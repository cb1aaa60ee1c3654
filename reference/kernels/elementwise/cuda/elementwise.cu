#include "reference/device/cuda/for_each.cuh"
#include "reference/kernels/elementwise/cuda/elementwise_launch.h"
#include "reference/kernels/elementwise/element_math.h"
#include "reference/tensor/narrow_float.h"

namespace lockstep::cuda {

// One kernel per type: the operation is the same for all threads, so the choice
// costs little compared with memory access.
template <typename T>
cudaError_t Unary(UnaryOp op, const T* x, T* y, int64_t count,
                  cudaStream_t stream) {
  return ForEach(count, stream,
                 [=] __device__(int64_t i) { y[i] = Apply(op, x[i]); });
}

template <typename T>
cudaError_t Scale(const T* x, T factor, T* y, int64_t count,
                  cudaStream_t stream) {
  return ForEach(count, stream,
                 [=] __device__(int64_t i) { y[i] = x[i] * factor; });
}

template cudaError_t Unary(UnaryOp, const float*, float*, int64_t,
                           cudaStream_t);
template cudaError_t Unary(UnaryOp, const double*, double*, int64_t,
                           cudaStream_t);
template cudaError_t Unary(UnaryOp, const int32_t*, int32_t*, int64_t,
                           cudaStream_t);
template cudaError_t Unary(UnaryOp, const int64_t*, int64_t*, int64_t,
                           cudaStream_t);
template cudaError_t Scale(const float*, float, float*, int64_t, cudaStream_t);
template cudaError_t Scale(const double*, double, double*, int64_t,
                           cudaStream_t);

template <typename T>
cudaError_t ReluBackward(const T* y, const T* dy, T* dx, int64_t count,
                         cudaStream_t stream) {
  return ForEach(count, stream, [=] __device__(int64_t i) {
    dx[i] = ReluGradient(y[i], dy[i]);
  });
}

template <typename T>
cudaError_t Clip(const T* x, T low, T high, T* y, int64_t count,
                 cudaStream_t stream) {
  return ForEach(count, stream,
                 [=] __device__(int64_t i) { y[i] = ClipOf(x[i], low, high); });
}

template <typename T>
cudaError_t ClipBackward(const T* x, const T* dy, T low, T high, T* dx,
                         int64_t count, cudaStream_t stream) {
  return ForEach(count, stream, [=] __device__(int64_t i) {
    dx[i] = ClipGradient(x[i], dy[i], low, high);
  });
}

template cudaError_t ReluBackward(const float*, const float*, float*, int64_t,
                                  cudaStream_t);
template cudaError_t ReluBackward(const double*, const double*, double*,
                                  int64_t, cudaStream_t);
template cudaError_t Clip(const float*, float, float, float*, int64_t,
                          cudaStream_t);
template cudaError_t Clip(const double*, double, double, double*, int64_t,
                          cudaStream_t);
template cudaError_t ClipBackward(const float*, const float*, float, float,
                                  float*, int64_t, cudaStream_t);
template cudaError_t ClipBackward(const double*, const double*, double, double,
                                  double*, int64_t, cudaStream_t);

template <typename T>
cudaError_t Binary(BinaryOp op, const T* a, const StridedAxes& a_axes,
                   const T* b, const StridedAxes& b_axes, T* out,
                   cudaStream_t stream) {
  const StridedAxes at_a = a_axes;
  const StridedAxes at_b = b_axes;
  return ForEach(a_axes.count(), stream, [=] __device__(int64_t i) {
    out[i] = Apply(op, a[at_a.Offset(i)], b[at_b.Offset(i)]);
  });
}

template <typename Word>
cudaError_t CopyStrided(const Word* x, const StridedAxes& axes, Word* out,
                        cudaStream_t stream) {
  const StridedAxes at = axes;
  return ForEach(at.count(), stream,
                 [=] __device__(int64_t i) { out[i] = x[at.Offset(i)]; });
}

#define LOCKSTEP_BINARY(T)                                            \
  template cudaError_t Binary(BinaryOp, const T*, const StridedAxes&, \
                              const T*, const StridedAxes&, T*, cudaStream_t)
LOCKSTEP_BINARY(float);
LOCKSTEP_BINARY(double);
LOCKSTEP_BINARY(int32_t);
LOCKSTEP_BINARY(int64_t);
#undef LOCKSTEP_BINARY

#define LOCKSTEP_COPY(Word)                                                \
  template cudaError_t CopyStrided(const Word*, const StridedAxes&, Word*, \
                                   cudaStream_t)
LOCKSTEP_COPY(uint8_t);
LOCKSTEP_COPY(uint16_t);
LOCKSTEP_COPY(uint32_t);
LOCKSTEP_COPY(uint64_t);
#undef LOCKSTEP_COPY

template <typename T>
cudaError_t Equal(const T* a, const T* b, bool* equal, int64_t count,
                  cudaStream_t stream) {
  return ForEach(count, stream,
                 [=] __device__(int64_t i) { equal[i] = a[i] == b[i]; });
}

#define LOCKSTEP_EQUAL(T) \
  template cudaError_t Equal(const T*, const T*, bool*, int64_t, cudaStream_t)
LOCKSTEP_EQUAL(float);
LOCKSTEP_EQUAL(double);
LOCKSTEP_EQUAL(BFloat16);
LOCKSTEP_EQUAL(Float16);
LOCKSTEP_EQUAL(int32_t);
LOCKSTEP_EQUAL(int64_t);
LOCKSTEP_EQUAL(uint8_t);
LOCKSTEP_EQUAL(bool);
#undef LOCKSTEP_EQUAL

template <typename T>
cudaError_t AddInPlace(T* target, const T* delta, int64_t count,
                       cudaStream_t stream) {
  return ForEach(count, stream, [=] __device__(int64_t i) {
    target[i] = kernels_internal::WrappingAdd(target[i], delta[i]);
  });
}

template <typename T>
cudaError_t SubtractInPlace(T* target, const T* delta, int64_t count,
                            cudaStream_t stream) {
  return ForEach(count, stream, [=] __device__(int64_t i) {
    target[i] = kernels_internal::WrappingSubtract(target[i], delta[i]);
  });
}

template <typename Word>
cudaError_t AssignWhere(const bool* condition, Word* target, const Word* value,
                        int64_t count, cudaStream_t stream) {
  return ForEach(count, stream, [=] __device__(int64_t i) {
    if (*condition) target[i] = value[i];
  });
}

#define LOCKSTEP_IN_PLACE(T)                                            \
  template cudaError_t AddInPlace(T*, const T*, int64_t, cudaStream_t); \
  template cudaError_t SubtractInPlace(T*, const T*, int64_t, cudaStream_t)
LOCKSTEP_IN_PLACE(float);
LOCKSTEP_IN_PLACE(double);
LOCKSTEP_IN_PLACE(BFloat16);
LOCKSTEP_IN_PLACE(Float16);
LOCKSTEP_IN_PLACE(int32_t);
LOCKSTEP_IN_PLACE(int64_t);
LOCKSTEP_IN_PLACE(uint8_t);
#undef LOCKSTEP_IN_PLACE

#define LOCKSTEP_ASSIGN_WHERE(Word)                                          \
  template cudaError_t AssignWhere(const bool*, Word*, const Word*, int64_t, \
                                   cudaStream_t)
LOCKSTEP_ASSIGN_WHERE(uint8_t);
LOCKSTEP_ASSIGN_WHERE(uint16_t);
LOCKSTEP_ASSIGN_WHERE(uint32_t);
LOCKSTEP_ASSIGN_WHERE(uint64_t);
#undef LOCKSTEP_ASSIGN_WHERE

template <typename To, typename From>
__device__ void Store(void* y, int64_t i, From value) {
  static_cast<To*>(y)[i] = CastNumber<To>(value);
}

// One kernel per source type: 8 to compile instead of 64.
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
