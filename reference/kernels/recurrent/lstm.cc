// As gru.cc: blocks of examples run through all steps by themselves, and the
// recurrent kernel's gradient is one product over all steps and examples.
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/kernels/check_tensor.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/elementwise/elementwise_loops.h"
#include "reference/kernels/linear/gemm.h"
#include "reference/kernels/linear/matmul.h"
#include "reference/kernels/recurrent/recurrent.h"
#include "reference/kernels/recurrent/time_loop.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::At;
using kernels_internal::ExponentialLoop;
using kernels_internal::Gemm;
using kernels_internal::Matrix;
using kernels_internal::RecurrentSizes;
using kernels_internal::UnaryOp;

RecurrentSizes Checked(const LstmInputs& inputs) {
  return kernels_internal::CheckRecurrent("Lstm", 4, 2, inputs.projected,
                                          inputs.recurrent, inputs.initial);
}

// One step of one example. `gates` holds projected + h recurrent and becomes i,
// f, g, o; `before` and `after` are h and c.
template <typename T>
void StepForward(int64_t units, const T* before, T* gates, T* after) {
  const T *i = gates, *f = gates + units, *o = gates + 3 * units;
  T* g = gates + 2 * units;
  ExponentialLoop(UnaryOp::kSigmoid, gates, gates, 2 * units);
  ExponentialLoop(UnaryOp::kTanh, g, g, units);
  ExponentialLoop(UnaryOp::kSigmoid, o, gates + 3 * units, units);
  T *h = after, *c = after + units;
  for (int64_t u = 0; u < units; ++u) {
    c[u] = f[u] * before[units + u] + i[u] * g[u];
  }
  ExponentialLoop(UnaryOp::kTanh, c, h, units);
  for (int64_t u = 0; u < units; ++u) h[u] *= o[u];
}

// Back through one step of one example: `d` holds the gradients of h and c after
// the step, and gets that of c before it (that of h is the product's).
template <typename T>
void StepBackward(int64_t units, const T* gates, const T* before,
                  const T* after, T* d, T* dgates) {
  const T *i = gates, *f = gates + units, *g = gates + 2 * units,
          *o = gates + 3 * units;
  for (int64_t u = 0; u < units; ++u) {
    const T tanh_c = std::tanh(after[units + u]);
    const T dc = d[units + u] + d[u] * o[u] * (1 - tanh_c * tanh_c);
    dgates[u] = dc * g[u] * i[u] * (1 - i[u]);
    dgates[units + u] = dc * before[units + u] * f[u] * (1 - f[u]);
    dgates[2 * units + u] = dc * i[u] * (1 - g[u] * g[u]);
    dgates[3 * units + u] = d[u] * tanh_c * o[u] * (1 - o[u]);
    d[units + u] = dc * f[u];
  }
}

}  // namespace

LstmResult Lstm(const LstmInputs& inputs) {
  const RecurrentSizes sizes = Checked(inputs);
  const auto [batch, steps, units] = sizes;
  const DType dtype = inputs.projected.dtype();
  LstmResult result{EmptyOnHost(Shape{batch, steps, 2 * units}, dtype),
                    inputs.projected.Clone()};
  if (sizes.empty()) return result;
  kernels_internal::VisitFloating(dtype, [&, units = units,
                                          steps = steps]<typename T>() {
    T* states = result.states.mutable_data<T>();
    T* gates = result.gates.mutable_data<T>();
    ForExamples(sizes, [&](int64_t first, int64_t count) {
      for (int64_t t = 0; t < steps; ++t) {
        const T* before = t == 0 ? inputs.initial.data<T>() + first * 2 * units
                                 : states + (first * steps + t - 1) * 2 * units;
        const int64_t stride = (t == 0 ? 1 : steps) * 2 * units;
        Gemm(count, 4 * units, units, Matrix<T>{before, stride},
             Matrix<T>{inputs.recurrent.data<T>(), 4 * units},
             gates + (first * steps + t) * 4 * units, steps * 4 * units,
             /*accumulate=*/true);
        for (int64_t n = 0; n < count; ++n) {
          const int64_t at = (first + n) * steps + t;
          StepForward(units, before + n * stride, gates + at * 4 * units,
                      states + at * 2 * units);
        }
      }
    });
  });
  return result;
}

LstmInputs LstmBackward(const LstmInputs& inputs, const LstmResult& result,
                        const Tensor& dstates) {
  const RecurrentSizes sizes = Checked(inputs);
  const auto [batch, steps, units] = sizes;
  kernels_internal::CheckSameTypeAndShape("LstmBackward", result.states,
                                          dstates);
  const DType dtype = dstates.dtype();
  LstmInputs d{ZerosOnHost(inputs.projected.shape(), dtype),
               ZerosOnHost(inputs.recurrent.shape(), dtype),
               ZerosOnHost(inputs.initial.shape(), dtype)};
  if (sizes.empty()) return d;
  const Tensor before =
      kernels_internal::StatesBefore(inputs.initial, result.states, 2 * units);
  kernels_internal::VisitFloating(
      dtype, [&, units = units, steps = steps]<typename T>() {
        T* dgates = d.projected.mutable_data<T>();
        T* dinitial = d.initial.mutable_data<T>();
        ForExamples(sizes, [&](int64_t first, int64_t count) {
          T* dstate = dinitial + first * 2 * units;  // of h and c after step t
          for (int64_t t = steps - 1; t >= 0; --t) {
            for (int64_t n = 0; n < count; ++n) {
              const int64_t at = (first + n) * steps + t;
              const T* own = At<T>(dstates, first + n, t);
              T* state = dstate + n * 2 * units;
              for (int64_t u = 0; u < 2 * units; ++u) state[u] += own[u];
              StepBackward(units, At<T>(result.gates, first + n, t),
                           At<T>(before, first + n, t),
                           At<T>(result.states, first + n, t), state,
                           dgates + at * 4 * units);
            }
            Gemm(count, units, 4 * units,
                 Matrix<T>{dgates + (first * steps + t) * 4 * units,
                           steps * 4 * units},
                 Matrix<T>{inputs.recurrent.data<T>(), 4 * units,
                           /*transpose=*/true},
                 dstate, 2 * units, /*accumulate=*/false);
          }
        });
      });
  const Tensor h =
      kernels_internal::StatesBefore(inputs.initial, result.states, units);
  d.recurrent = MatMul(h.Reshape(Shape{batch * steps, units}),
                       d.projected.Reshape(Shape{batch * steps, 4 * units}),
                       /*transpose_a=*/true);
  return d;
}

}  // namespace lockstep::kernels
