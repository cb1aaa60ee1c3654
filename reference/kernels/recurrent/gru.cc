// A block of examples runs through all steps by itself: one product of its
// states and the recurrent kernel in each step. Backwards it leaves the gradient
// of each step's product, from which the recurrent kernel's gradient is one
// product over all steps and examples.
#include <cstdint>
#include <vector>

#include "reference/kernels/check_tensor.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/elementwise/elementwise_loops.h"
#include "reference/kernels/linear/gemm.h"
#include "reference/kernels/linear/matmul.h"
#include "reference/kernels/recurrent/recurrent.h"
#include "reference/kernels/recurrent/time_loop.h"
#include "reference/kernels/reduction/reduce.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::At;
using kernels_internal::ExponentialLoop;
using kernels_internal::Gemm;
using kernels_internal::Matrix;
using kernels_internal::RecurrentSizes;
using kernels_internal::UnaryOp;

RecurrentSizes Checked(const GruInputs& inputs) {
  const RecurrentSizes sizes = kernels_internal::CheckRecurrent(
      "Gru", 3, 1, inputs.projected, inputs.recurrent, inputs.initial);
  kernels_internal::CheckDType("Gru", "bias", inputs.bias,
                               inputs.projected.dtype());
  kernels_internal::CheckShape("Gru", "bias", inputs.bias,
                               Shape{3 * sizes.units});
  return sizes;
}

// One step of one example. `product` is h recurrent; `gates` gets z, r, c, b_c.
template <typename T>
void StepForward(int64_t units, const T* projected, const T* product,
                 const T* bias, const T* h, T* gates, T* y) {
  for (int64_t i = 0; i < 2 * units; ++i) {
    gates[i] = projected[i] + (product[i] + bias[i]);
  }
  ExponentialLoop(UnaryOp::kSigmoid, gates, gates, 2 * units);
  const T *z = gates, *r = gates + units;
  T *c = gates + 2 * units, *inner = gates + 3 * units;
  for (int64_t i = 0; i < units; ++i) {
    inner[i] = product[2 * units + i] + bias[2 * units + i];
    c[i] = projected[2 * units + i] + r[i] * inner[i];
  }
  ExponentialLoop(UnaryOp::kTanh, c, c, units);
  for (int64_t i = 0; i < units; ++i) y[i] = z[i] * h[i] + (1 - z[i]) * c[i];
}

// Back through one step of one example: from dh, that of h after the step, to
// the gradients of projected and of the product, and to dh by way of z h alone.
template <typename T>
void StepBackward(int64_t units, const T* gates, const T* h, T* dh,
                  T* dprojected, T* dproduct) {
  const T *z = gates, *r = gates + units, *c = gates + 2 * units,
          *inner = gates + 3 * units;
  for (int64_t i = 0; i < units; ++i) {
    const T dc = dh[i] * (1 - z[i]) * (1 - c[i] * c[i]);
    const T dz = dh[i] * (h[i] - c[i]) * z[i] * (1 - z[i]);
    const T dr = dc * inner[i] * r[i] * (1 - r[i]);
    dprojected[i] = dproduct[i] = dz;
    dprojected[units + i] = dproduct[units + i] = dr;
    dprojected[2 * units + i] = dc;
    dproduct[2 * units + i] = dc * r[i];
    dh[i] *= z[i];
  }
}

}  // namespace

GruResult Gru(const GruInputs& inputs) {
  const RecurrentSizes sizes = Checked(inputs);
  const auto [batch, steps, units] = sizes;
  const DType dtype = inputs.projected.dtype();
  GruResult result{EmptyOnHost(Shape{batch, steps, units}, dtype),
                   EmptyOnHost(Shape{batch, steps, 4 * units}, dtype)};
  if (sizes.empty()) return result;
  kernels_internal::VisitFloating(dtype, [&, units = units,
                                          steps = steps]<typename T>() {
    T* y = result.y.mutable_data<T>();
    T* gates = result.gates.mutable_data<T>();
    ForExamples(sizes, [&](int64_t first, int64_t count) {
      std::vector<T> product(count * 3 * units);
      for (int64_t t = 0; t < steps; ++t) {
        const T* h = t == 0 ? inputs.initial.data<T>() + first * units
                            : y + (first * steps + t - 1) * units;
        const int64_t stride = t == 0 ? units : steps * units;
        Gemm(count, 3 * units, units, Matrix<T>{h, stride},
             Matrix<T>{inputs.recurrent.data<T>(), 3 * units}, product.data(),
             3 * units, /*accumulate=*/false);
        for (int64_t n = 0; n < count; ++n) {
          const int64_t at = (first + n) * steps + t;
          StepForward(units, At<T>(inputs.projected, first + n, t),
                      product.data() + n * 3 * units, inputs.bias.data<T>(),
                      h + n * stride, gates + at * 4 * units, y + at * units);
        }
      }
    });
  });
  return result;
}

GruInputs GruBackward(const GruInputs& inputs, const GruResult& result,
                      const Tensor& dy) {
  const RecurrentSizes sizes = Checked(inputs);
  const auto [batch, steps, units] = sizes;
  kernels_internal::CheckSameTypeAndShape("GruBackward", result.y, dy);
  const DType dtype = dy.dtype();
  GruInputs d{ZerosOnHost(inputs.projected.shape(), dtype),
              ZerosOnHost(inputs.recurrent.shape(), dtype),
              ZerosOnHost(inputs.bias.shape(), dtype),
              ZerosOnHost(inputs.initial.shape(), dtype)};
  if (sizes.empty()) return d;
  const Tensor before =
      kernels_internal::StatesBefore(inputs.initial, result.y, units);
  Tensor dproducts = EmptyOnHost(inputs.projected.shape(), dtype);
  kernels_internal::VisitFloating(dtype, [&, units = units,
                                          steps = steps]<typename T>() {
    T* dprojected = d.projected.mutable_data<T>();
    T* dproduct = dproducts.mutable_data<T>();
    T* dinitial = d.initial.mutable_data<T>();
    ForExamples(sizes, [&](int64_t first, int64_t count) {
      T* dh = dinitial + first * units;  // of h after step t
      for (int64_t t = steps - 1; t >= 0; --t) {
        for (int64_t n = 0; n < count; ++n) {
          const int64_t at = (first + n) * steps + t;
          const T* own = At<T>(dy, first + n, t);
          for (int64_t i = 0; i < units; ++i) dh[n * units + i] += own[i];
          StepBackward(units, At<T>(result.gates, first + n, t),
                       At<T>(before, first + n, t), dh + n * units,
                       dprojected + at * 3 * units, dproduct + at * 3 * units);
        }
        Gemm(count, units, 3 * units,
             Matrix<T>{dproduct + (first * steps + t) * 3 * units,
                       steps * 3 * units},
             Matrix<T>{inputs.recurrent.data<T>(), 3 * units,
                       /*transpose=*/true},
             dh, units, /*accumulate=*/true);
      }
    });
  });
  const Tensor all = dproducts.Reshape(Shape{batch * steps, 3 * units});
  d.recurrent = MatMul(before.Reshape(Shape{batch * steps, units}), all,
                       /*transpose_a=*/true);
  d.bias = ReduceSum(all, std::vector<int>{0});
  return d;
}

}  // namespace lockstep::kernels
