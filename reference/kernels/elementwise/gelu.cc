// Both forms are x times a distribution function P; the gradient is P + x P'.
// The exponential functions run over blocks of elements, as vectors; the erf has
// no vector version here and is computed element by element.
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

constexpr double kCube = 0.044715;
const double kScale = std::sqrt(2 / std::numbers::pi);

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

template <typename T>
void ByTanh(const T* x, int64_t count, bool slopes, Distribution<T>& out) {
  const T scale = static_cast<T>(kScale), cube = static_cast<T>(kCube);
  for (int64_t i = 0; i < count; ++i) {
    out.p[i] = scale * (x[i] + cube * x[i] * x[i] * x[i]);
  }
  kernels_internal::ExponentialLoop(UnaryOp::kTanh, out.p.data(), out.p.data(),
                                    count);
  for (int64_t i = 0; slopes && i < count; ++i) {
    const T inner = scale * (1 + 3 * cube * x[i] * x[i]);
    out.slope[i] = (1 - out.p[i] * out.p[i]) / 2 * inner;
  }
  for (int64_t i = 0; i < count; ++i) out.p[i] = (1 + out.p[i]) / 2;
}

// Calls body(first element, count, distribution) for each block of x.
template <typename T, class Body>
void ForBlocks(const Tensor& x, GeluForm form, bool slopes, const Body& body) {
  const int64_t blocks = (x.num_elements() + kBlock - 1) / kBlock;
  ParallelFor(blocks, 4, [&](int64_t begin, int64_t end, int) {
    Distribution<T> distribution;
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * kBlock;
      const int64_t count = std::min(kBlock, x.num_elements() - first);
      (form == GeluForm::kErf ? ByErf<T> : ByTanh<T>)(x.data<T>() + first,
                                                      count, slopes,
                                                      distribution);
      body(first, count, distribution);
    }
  });
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
    const T* from = x.data<T>();
    T* to = y.mutable_data<T>();
    ForBlocks<T>(x, form, /*slopes=*/false,
                 [&](int64_t first, int64_t count, const Distribution<T>& d) {
                   for (int64_t i = 0; i < count; ++i) {
                     to[first + i] = from[first + i] * d.p[i];
                   }
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
    const T* from = x.data<T>();
    const T* gradient = dy.data<T>();
    T* to = dx.mutable_data<T>();
    ForBlocks<T>(x, form, /*slopes=*/true,
                 [&](int64_t first, int64_t count, const Distribution<T>& d) {
                   for (int64_t i = 0; i < count; ++i) {
                     to[first + i] = gradient[first + i] *
                                     (d.p[i] + from[first + i] * d.slope[i]);
                   }
                 });
  });
  return dx;
}

}  // namespace lockstep::kernels
