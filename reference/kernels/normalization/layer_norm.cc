// The gradients of gamma and beta are sums over all rows. Blocks of rows, whose
// number depends on the rows only, sum theirs in float64; these sums are added
// in the order of the blocks.
#include "reference/kernels/normalization/layer_norm.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/normalization/layer_norm_rows.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::NormalizedRow;
using kernels_internal::RowMoments;

struct Rows {
  int64_t count;
  int64_t size;
};

Rows RowsOf(const Tensor& x) {
  const int64_t size = x.dim(x.rank() - 1);
  return {size == 0 ? 0 : x.num_elements() / size, size};
}

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

template <typename T>
const T* DataOf(const Tensor& weight) {
  return weight.defined() ? weight.data<T>() : nullptr;
}

constexpr int64_t kGrain = 16384;  // elements worth waking a thread for
constexpr int64_t kMaxBlocks = 64;

int64_t RowsOfBlock(Rows rows) {
  const int64_t few = kGrain / std::max<int64_t>(rows.size, 1) + 1;
  return std::max(few, (rows.count + kMaxBlocks - 1) / kMaxBlocks);
}

// The sums of all blocks, [blocks, n] to [n].
Tensor Total(const std::vector<double>& sums, int64_t size, DType dtype) {
  Tensor total = EmptyOnHost(Shape{size}, dtype);
  kernels_internal::VisitFloating(dtype, [&]<typename T>() {
    T* to = total.mutable_data<T>();
    for (int64_t i = 0; i < size; ++i) {
      double sum = 0;
      for (size_t k = i; k < sums.size(); k += size) sum += sums[k];
      to[i] = static_cast<T>(sum);
    }
  });
  return total;
}

}  // namespace

LayerNormResult LayerNorm(const Tensor& x, const Tensor& gamma,
                          const Tensor& beta, double epsilon) {
  CheckArguments(x, gamma, beta);
  const Rows rows = RowsOf(x);
  LayerNormResult result{
      .y = EmptyOnHost(x.shape(), x.dtype()),
      .saved = {x, gamma, EmptyOnHost(Shape{rows.count}, x.dtype()),
                EmptyOnHost(Shape{rows.count}, x.dtype())}};
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    const T* from = x.data<T>();
    T* to = result.y.mutable_data<T>();
    T* means = result.saved.means.mutable_data<T>();
    T* scales = result.saved.scales.mutable_data<T>();
    ParallelFor(
        rows.count, RowsOfBlock(rows), [&](int64_t begin, int64_t end, int) {
          for (int64_t row = begin; row < end; ++row) {
            const int64_t at = row * rows.size;
            const RowMoments<T> moments = kernels_internal::LayerNormRow(
                from + at, DataOf<T>(gamma), DataOf<T>(beta), epsilon, to + at,
                rows.size);
            means[row] = moments.mean;
            scales[row] = moments.scale;
          }
        });
  });
  return result;
}

LayerNormGradients LayerNormBackward(const LayerNormSaved& saved,
                                     const Tensor& dy) {
  const Tensor& x = saved.x;
  kernels_internal::CheckSameTypeAndShape("LayerNormBackward", x, dy);
  const Rows rows = RowsOf(x);
  const int64_t of_block = RowsOfBlock(rows);
  const int64_t blocks = (rows.count + of_block - 1) / of_block;
  std::vector<double> gammas(blocks * rows.size), betas(blocks * rows.size);
  Tensor dx = EmptyOnHost(x.shape(), x.dtype());
  kernels_internal::VisitFloating(x.dtype(), [&]<typename T>() {
    const T* means = saved.means.data<T>();
    const T* scales = saved.scales.data<T>();
    const T* from = dy.data<T>();
    T* to = dx.mutable_data<T>();
    ParallelFor(blocks, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t row = begin * of_block;
           row < std::min(end * of_block, rows.count); ++row) {
        const int64_t at = row * rows.size;
        const int64_t sums = row / of_block * rows.size;
        kernels_internal::LayerNormBackwardRow(
            NormalizedRow<T>{.x = x.data<T>() + at,
                             .gamma = DataOf<T>(saved.gamma),
                             .moments = {means[row], scales[row]}},
            from + at, to + at, gammas.data() + sums, betas.data() + sums,
            rows.size);
      }
    });
  });
  return {std::move(dx), Total(gammas, rows.size, x.dtype()),
          Total(betas, rows.size, x.dtype())};
}

}  // namespace lockstep::kernels
