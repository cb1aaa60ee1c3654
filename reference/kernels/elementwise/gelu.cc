// Both forms are x times a distribution function P; the gradient is P + x P'. The
// tanh form is a vector loop. The erf has no vector version here and is computed
// element by element; only its exponential functions run as vectors, over blocks
// of elements.
#include "reference/kernels/elementwise/gelu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/elementwise/elementwise_loops.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::UnaryOp;

constexpr int64_t kBlock = 1024;  // elements on the stack

// P and its derivative P' for a block of elements.
template <typename T>
struct Distribution {
  std::array<T, kBlock> p;
  std::array<T, kBlock> slope;
};

template <typename T>
void ByErf(const T* x, int64_t count, bool slopes, Distribution<T>& out) {
  const T root = static_cast<T>(std::numbers::sqrt2 / 2);
  for (int64_t i = 0; i < count; ++i) {
    out.p[i] = (1 + std::erf(x[i] * root)) / 2;
  }
  if (!slopes) return;
  for (int64_t i = 0; i < count; ++i) out.slope[i] = -x[i] * x[i] / 2;
  kernels_internal::ExponentialLoop(UnaryOp::kExp, out.slope.data(),
                                    out.slope.data(), count);
  const T height = static_cast<T>(1 / std::sqrt(2 * std::numbers::pi));
  for (int64_t i = 0; i < count; ++i) out.slope[i] *= height;
}

// Calls body(first element, count) for each block of x.
template <class Body>
void ForBlocks(const Tensor& x, const Body& body) {
  const int64_t blocks = (x.num_elements() + kBlock - 1) / kBlock;
  ParallelFor(blocks, 4, [&](int64_t begin, int64_t end, int) {
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * kBlock;
      body(first, std::min(kBlock, x.num_elements() - first));
    }
  });
}

template <typename T>
void ErfLoop(const T* x, T* y, int64_t count) {
  Distribution<T> d;
  ByErf(x, count, /*slopes=*/false, d);
  for (int64_t i = 0; i < count; ++i) y[i] = x[i] * d.p[i];
}

template <typename T>
void ErfBackwardLoop(const T* x, const T* dy, T* dx, int64_t count) {
  Distribution<T> d;
  ByErf(x, count, /*slopes=*/true, d);
  for (int64_t i = 0; i < count; ++i) {
    dx[i] = dy[i] * (d.p[i] + x[i] * d.slope[i]);
  }
}

void RefuseGpu(const Tensor& x) {
  if (!OnGpu("Gelu", x)) return;
  throw Unimplemented("[Gelu] has no kernel for {}", x.device().name());
}

}  // namespace

Tensor Gelu(const Tensor& x, GeluForm form) {
  if (IsNarrowFloat(x.dtype())) {
    return kernels_internal::InFloat32("Gelu", x, Gelu, x, form);
  }
  kernels_internal::CheckFloating("Gelu", "x", x);
  RefuseGpu(x);
  Tensor y = EmptyOnHost(x.shape(), x.dtype());
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    const auto loop =
        form == GeluForm::kErf ? ErfLoop<T> : kernels_internal::GeluTanhLoop<T>;
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    ForBlocks(x, [&](int64_t first, int64_t count) {
      loop(from + first, to + first, count);
    });
  });
  return y;
}

Tensor GeluBackward(const Tensor& x, const Tensor& dy, GeluForm form) {
  if (IsNarrowFloat(x.dtype())) {
    return kernels_internal::InFloat32("GeluBackward", x, GeluBackward, x, dy,
                                       form);
  }
  kernels_internal::CheckFloating("GeluBackward", "x", x);
  kernels_internal::CheckSameTypeAndShape("GeluBackward", x, dy);
  RefuseGpu(x);
  Tensor dx = EmptyOnHost(x.shape(), x.dtype());
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    const auto loop = form == GeluForm::kErf
                          ? ErfBackwardLoop<T>
                          : kernels_internal::GeluTanhBackwardLoop<T>;
    const T* from = x.data<T>();
    const T* gradient = dy.data<T>();
    T* to = dx.mutable_data<T>();
    ForBlocks(x, [&](int64_t first, int64_t count) {
      loop(from + first, gradient + first, to + first, count);
    });
  });
  return dx;
}

}  // namespace lockstep::kernels
