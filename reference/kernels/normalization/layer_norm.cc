#include "reference/kernels/normalization/layer_norm.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/normalization/layer_norm_rows.h"
#include "reference/kernels/normalization/rows.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::DataOrNull;
using kernels_internal::NormalizedRow;
using kernels_internal::RowMoments;
using kernels_internal::Rows;

void CheckArguments(const Tensor& x, const Tensor& gamma, const Tensor& beta) {
  kernels_internal::CheckFloating("LayerNorm", "x", x);
  if (x.rank() == 0) {
    throw InvalidArgument("[LayerNorm] x must have an axis, got {}",
                          Describe(x));
  }
  for (const Tensor* weight : {&gamma, &beta}) {
    if (!weight->defined()) continue;
    kernels_internal::CheckDType("LayerNorm", "gamma and beta", *weight,
                                 x.dtype());
    kernels_internal::CheckShape("LayerNorm", "gamma and beta", *weight,
                                 Shape{x.dim(x.rank() - 1)});
  }
  if (!OnGpu("LayerNorm", x)) return;
  throw Unimplemented("[LayerNorm] has no kernel for {}", x.device().name());
}

Tensor Rounded(std::span<const double> sums, DType dtype) {
  return Tensor::FromVector(std::vector<double>(sums.begin(), sums.end()))
      .Cast(dtype);
}

}  // namespace

LayerNormResult LayerNorm(const Tensor& x, const Tensor& gamma,
                          const Tensor& beta, double epsilon) {
  CheckArguments(x, gamma, beta);
  const Rows rows = kernels_internal::RowsOf(x);
  LayerNormResult result{
      .y = EmptyOnHost(x.shape(), x.dtype()),
      .saved = {x, gamma, EmptyOnHost(Shape{rows.count}, x.dtype()),
                EmptyOnHost(Shape{rows.count}, x.dtype())}};
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    const T* from = x.data<T>();
    T* to = result.y.mutable_data<T>();
    T* means = result.saved.means.mutable_data<T>();
    T* scales = result.saved.scales.mutable_data<T>();
    kernels_internal::ForEachRow(rows, [&](int64_t row) {
      const int64_t at = row * rows.channels;
      const RowMoments<T> moments = kernels_internal::LayerNormRow(
          from + at, DataOrNull<T>(gamma), DataOrNull<T>(beta), epsilon,
          to + at, rows.channels);
      means[row] = moments.mean;
      scales[row] = moments.scale;
    });
  });
  return result;
}

LayerNormGradients LayerNormBackward(const LayerNormSaved& saved,
                                     const Tensor& dy) {
  const Tensor& x = saved.x;
  kernels_internal::CheckSameTypeAndShape("LayerNormBackward", x, dy);
  const Rows rows = kernels_internal::RowsOf(x);
  Tensor dx = EmptyOnHost(x.shape(), x.dtype());
  std::vector<double> sums;  // of gamma, then of beta
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    const T* means = saved.means.data<T>();
    const T* scales = saved.scales.data<T>();
    const T* from = dy.data<T>();
    T* to = dx.mutable_data<T>();
    sums = kernels_internal::SumRows(
        rows, [&](int64_t first, Rows part, double* dgamma, double* dbeta) {
          for (int64_t row = first; row < first + part.count; ++row) {
            const int64_t at = row * rows.channels;
            kernels_internal::LayerNormBackwardRow(
                NormalizedRow<T>{.x = x.data<T>() + at,
                                 .gamma = DataOrNull<T>(saved.gamma),
                                 .moments = {means[row], scales[row]}},
                from + at, to + at, dgamma, dbeta, rows.channels);
          }
        });
  });
  const std::span<const double> both = sums;
  return {std::move(dx), Rounded(both.first(rows.channels), x.dtype()),
          Rounded(both.last(rows.channels), x.dtype())};
}

}  // namespace lockstep::kernels
