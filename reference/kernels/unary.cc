#include "reference/kernels/unary.h"

#include <cmath>
#include <string_view>
#include <type_traits>

#include "reference/base/thread_team.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/cpu/unary.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/in_float32.h"
#include "reference/kernels/visit_arithmetic.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::UnaryOp;

using GpuKernel = DeviceKernel<Tensor(const Tensor&)>;

constexpr int64_t kGrain = 16384;    // cheap elements worth waking a thread for
constexpr int64_t kMathGrain = 512;  // the same for calls into the C library

// y[i] = function(x[i]), one element at a time.
template <typename T, class Function>
void Map(const Tensor& x, Tensor& y, int64_t grain, const Function& function) {
  const T* from = x.data<T>();
  T* to = y.mutable_data<T>();
  ParallelFor(x.num_elements(), grain, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) to[i] = function(from[i]);
  });
}

// Wraps around at the smallest integer, as two's complement does.
template <typename T>
T IntegerUnary(UnaryOp op, T x) {
  using U = std::make_unsigned_t<T>;
  const U bits = static_cast<U>(x);
  switch (op) {
    case UnaryOp::kNegate:
      return static_cast<T>(U{0} - bits);
    case UnaryOp::kAbs:
      return static_cast<T>(x < 0 ? U{0} - bits : bits);
    case UnaryOp::kSquare:
      return static_cast<T>(bits * bits);
    default:
      return static_cast<T>((x > 0) - (x < 0));  // kSign
  }
}

Tensor Cheap(std::string_view name, UnaryOp op, const GpuKernel& on_gpu,
             const Tensor& x) {
  if (IsNarrowFloat(x.dtype())) {
    const auto wide = [&](const Tensor& w) {
      return Cheap(name, op, on_gpu, w);
    };
    return kernels_internal::InFloat32(name, x, wide, x);
  }
  kernels_internal::CheckArithmetic(name, "x", x);
  if (OnGpu(name, x)) return on_gpu(x);
  Tensor y = EmptyOnHost(x.shape(), x.dtype());
  kernels_internal::VisitArithmetic(x.dtype(), [&]<typename T>() {
    if constexpr (std::is_integral_v<T>) {
      Map<T>(x, y, kGrain, [op](T value) { return IntegerUnary(op, value); });
    } else {
      const T* from = x.data<T>();
      T* to = y.mutable_data<T>();
      ParallelFor(x.num_elements(), kGrain,
                  [&](int64_t begin, int64_t end, int) {
                    kernels_internal::UnaryLoop(op, from + begin, to + begin,
                                                end - begin);
                  });
    }
  });
  return y;
}

template <class Function>
Tensor Math(std::string_view name, const GpuKernel& on_gpu, const Tensor& x,
            const Function& function) {
  if (IsNarrowFloat(x.dtype())) {
    const auto wide = [&](const Tensor& w) {
      return Math(name, on_gpu, w, function);
    };
    return kernels_internal::InFloat32(name, x, wide, x);
  }
  kernels_internal::CheckFloating(name, "x", x);
  if (OnGpu(name, x)) return on_gpu(x);
  Tensor y = EmptyOnHost(x.shape(), x.dtype());
  kernels_internal::VisitFloating(
      x.dtype(), [&]<typename T>() { Map<T>(x, y, kMathGrain, function); });
  return y;
}

}  // namespace

Tensor Negate(const Tensor& x) {
  return Cheap("Negate", UnaryOp::kNegate, gpu::Negate, x);
}
Tensor Abs(const Tensor& x) { return Cheap("Abs", UnaryOp::kAbs, gpu::Abs, x); }
Tensor Square(const Tensor& x) {
  return Cheap("Square", UnaryOp::kSquare, gpu::Square, x);
}
Tensor Sign(const Tensor& x) {
  return Cheap("Sign", UnaryOp::kSign, gpu::Sign, x);
}

Tensor Sqrt(const Tensor& x) {
  if (!IsNarrowFloat(x.dtype())) {
    kernels_internal::CheckFloating("Sqrt", "x", x);
  }
  return Cheap("Sqrt", UnaryOp::kSqrt, gpu::Sqrt, x);
}

Tensor Exp(const Tensor& x) {
  return Math("Exp", gpu::Exp, x, [](auto value) { return std::exp(value); });
}

Tensor Log(const Tensor& x) {
  return Math("Log", gpu::Log, x, [](auto value) { return std::log(value); });
}

Tensor Sigmoid(const Tensor& x) {
  // exp of a negative number only: never infinity over infinity.
  return Math("Sigmoid", gpu::Sigmoid, x, []<typename T>(T value) {
    const T e = std::exp(-std::abs(value));
    return value < 0 ? e / (1 + e) : 1 / (1 + e);
  });
}

Tensor Tanh(const Tensor& x) {
  return Math("Tanh", gpu::Tanh, x,
              [](auto value) { return std::tanh(value); });
}

}  // namespace lockstep::kernels
