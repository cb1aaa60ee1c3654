#include "reference/kernels/elementwise/unary.h"

#include <string_view>
#include <type_traits>

#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/elementwise/element_math.h"
#include "reference/kernels/elementwise/elementwise_loops.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::UnaryOp;

using GpuKernel = DeviceKernel<Tensor(const Tensor&)>;

// Elements worth waking a thread for.
constexpr int64_t kGrain = 16384;
constexpr int64_t kExponentialGrain = 4096;

int64_t GrainOf(UnaryOp op) {
  return kernels_internal::IsExponential(op) ? kExponentialGrain : kGrain;
}

template <typename T>
void Loop(UnaryOp op, const T* x, T* y, int64_t count) {
  if constexpr (std::is_integral_v<T>) {
    for (int64_t i = 0; i < count; ++i) {
      y[i] = kernels_internal::IntegerUnary(op, x[i]);
    }
  } else if (kernels_internal::IsExponential(op)) {
    kernels_internal::ExponentialLoop(op, x, y, count);
  } else {
    kernels_internal::UnaryLoop(op, x, y, count);
  }
}

// Computes a tensor from others of its shape and element type T on the host:
// calls loop(x, others..., y, count) for ranges of at least `grain` elements.
template <typename T, class Loop, class... Others>
Tensor MapElements(int64_t grain, const Loop& loop, const Tensor& x,
                   const Others&... others) {
  Tensor y = EmptyOnHost(x.shape(), x.dtype());
  ParallelFor(
      x.num_elements(), grain,
      [&loop, to = y.mutable_data<T>(), from = x.data<T>(),
       ... other = others.template data<T>()](int64_t begin, int64_t end, int) {
        loop(from + begin, other + begin..., to + begin, end - begin);
      });
  return y;
}

Tensor Unary(std::string_view name, UnaryOp op, const GpuKernel& on_gpu,
             const Tensor& x) {
  if (IsNarrowFloat(x.dtype())) {
    const auto wide = [&](const Tensor& w) {
      return Unary(name, op, on_gpu, w);
    };
    return kernels_internal::InFloat32(name, x, wide, x);
  }
  if (kernels_internal::IsForFloats(op)) {
    kernels_internal::CheckFloating(name, "x", x);
  } else {
    kernels_internal::CheckArithmetic(name, "x", x);
  }
  if (OnGpu(name, x)) return on_gpu(x);
  return kernels_internal::VisitArithmetic(x.dtype(), [&]<typename T>() {
    const auto loop = [op](const T* from, T* to, int64_t count) {
      Loop(op, from, to, count);
    };
    return MapElements<T>(GrainOf(op), loop, x);
  });
}

void CheckFloatingOrBFloat16(const char* operation, const char* argument,
                             const Tensor& x) {
  if (x.dtype() == DType::kBFloat16) return;
  kernels_internal::CheckFloating(operation, argument, x);
}

void CheckClip(const Tensor& x, double low, double high) {
  kernels_internal::CheckFloating("Clip", "x", x);
  if (!(low <= high)) {
    throw InvalidArgument("[Clip] low must not be above high, got {} and {}",
                          low, high);
  }
}

}  // namespace

Tensor Negate(const Tensor& x) {
  return Unary("Negate", UnaryOp::kNegate, gpu::Negate, x);
}
Tensor Abs(const Tensor& x) { return Unary("Abs", UnaryOp::kAbs, gpu::Abs, x); }
Tensor Square(const Tensor& x) {
  return Unary("Square", UnaryOp::kSquare, gpu::Square, x);
}
Tensor Sign(const Tensor& x) {
  return Unary("Sign", UnaryOp::kSign, gpu::Sign, x);
}

Tensor Sqrt(const Tensor& x) {
  return Unary("Sqrt", UnaryOp::kSqrt, gpu::Sqrt, x);
}

Tensor Exp(const Tensor& x) { return Unary("Exp", UnaryOp::kExp, gpu::Exp, x); }

Tensor Log(const Tensor& x) { return Unary("Log", UnaryOp::kLog, gpu::Log, x); }

Tensor Sigmoid(const Tensor& x) {
  return Unary("Sigmoid", UnaryOp::kSigmoid, gpu::Sigmoid, x);
}

Tensor Tanh(const Tensor& x) {
  return Unary("Tanh", UnaryOp::kTanh, gpu::Tanh, x);
}

Tensor Relu(const Tensor& x) {
  if (kernels_internal::IsWidened(x))
    return kernels_internal::InFloat32("Relu", x, Relu, x);
  CheckFloatingOrBFloat16("Relu", "x", x);
  if (OnGpu("Relu", x)) return gpu::Relu(x);
  const auto loop = [](const auto* from, auto* to, int64_t count) {
    kernels_internal::UnaryLoop(UnaryOp::kRelu, from, to, count);
  };
  return kernels_internal::VisitFloatingOrBFloat16(
      x.dtype(), [&]<typename T>() { return MapElements<T>(kGrain, loop, x); });
}

Tensor ReluBackward(const Tensor& y, const Tensor& dy) {
  if (kernels_internal::IsWidened(y)) {
    return kernels_internal::InFloat32("ReluBackward", y, ReluBackward, y, dy);
  }
  CheckFloatingOrBFloat16("ReluBackward", "y", y);
  kernels_internal::CheckSameTypeAndShape("ReluBackward", y, dy);
  if (OnGpu("ReluBackward", y, dy)) return gpu::ReluBackward(y, dy);
  return kernels_internal::VisitFloatingOrBFloat16(
      y.dtype(), [&]<typename T>() {
        return MapElements<T>(kGrain, kernels_internal::ReluBackwardLoop<T>, y,
                              dy);
      });
}

Tensor Clip(const Tensor& x, double low, double high) {
  if (IsNarrowFloat(x.dtype())) {
    return kernels_internal::InFloat32("Clip", x, Clip, x, low, high);
  }
  CheckClip(x, low, high);
  if (OnGpu("Clip", x)) return gpu::Clip(x, low, high);
  return kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    const T lowest = static_cast<T>(low), highest = static_cast<T>(high);
    const auto loop = [=](const T* from, T* to, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const T value = from[i];
        to[i] = value < lowest ? lowest : value > highest ? highest : value;
      }
    };
    return MapElements<T>(kGrain, loop, x);
  });
}

Tensor ClipBackward(const Tensor& x, const Tensor& dy, double low,
                    double high) {
  if (IsNarrowFloat(x.dtype())) {
    return kernels_internal::InFloat32("ClipBackward", x, ClipBackward, x, dy,
                                       low, high);
  }
  CheckClip(x, low, high);
  kernels_internal::CheckSameTypeAndShape("ClipBackward", x, dy);
  if (OnGpu("ClipBackward", x, dy)) return gpu::ClipBackward(x, dy, low, high);
  return kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    const T lowest = static_cast<T>(low), highest = static_cast<T>(high);
    const auto loop = [=](const T* from, const T* gradient, T* to,
                          int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        to[i] = from[i] >= lowest && from[i] <= highest ? gradient[i] : 0;
      }
    };
    return MapElements<T>(kGrain, loop, x, dy);
  });
}

}  // namespace lockstep::kernels
