#include "reference/kernels/reduction/reduce.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/threads.h"
#include "reference/kernels/broadcast_plan.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::kernels {
namespace {

constexpr int64_t kBlock = 4096;  // elements summed as one piece

// Floats are summed in double, integers as unsigned, because they wrap around.
template <typename T>
using Accumulator = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

// Eight parallel sums hide the latency of an addition.
template <typename T>
Accumulator<T> SumRun(const T* x, int64_t count) {
  std::array<Accumulator<T>, 8> sums{};
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int lane = 0; lane < 8; ++lane) {
      sums[lane] += static_cast<Accumulator<T>>(x[i + lane]);
    }
  }
  for (; i < count; ++i) {
    sums[i % 8] += static_cast<Accumulator<T>>(x[i]);
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
         ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// Threads sum blocks in any order; the blocks' sums are added in order.
template <typename T>
Accumulator<T> SumAll(const T* x, int64_t count) {
  const int64_t blocks = (count + kBlock - 1) / kBlock;
  if (blocks <= 1) return SumRun(x, count);
  std::vector<Accumulator<T>> sums(blocks);
  ParallelFor(blocks, 8, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      sums[i] = SumRun(x + i * kBlock, std::min(kBlock, count - i * kBlock));
    }
  });
  return SumRun(sums.data(), blocks);
}

// Adds each element of x to the sum it belongs to; `kept` is x's shape with 1
// along the summed axes.
template <typename T>
void SumRows(const Tensor& x, const Shape& kept, Accumulator<T>* sums) {
  const kernels_internal::BroadcastPlan plan(x.shape(), kept, Shape{});
  const int64_t columns = plan.columns();
  plan.ForRows(0, plan.rows(), [&](int64_t row, int64_t offset, int64_t) {
    const T* from = x.data<T>() + row * columns;
    if (plan.a_stride() == 0) {
      sums[offset] += SumRun(from, columns);
    } else {
      for (int64_t j = 0; j < columns; ++j) {
        sums[offset + j] += static_cast<Accumulator<T>>(from[j]);
      }
    }
  });
}

enum class Mean { kNo, kYes };

// Rounds the sums, or their means over `count` elements, to the result's type.
template <typename T>
Tensor Finish(const std::vector<Accumulator<T>>& sums, const Shape& shape,
              Mean mean, int64_t count) {
  const bool to_double = mean == Mean::kYes && std::is_integral_v<T>;
  Tensor result = EmptyOnHost(shape, to_double ? DType::kFloat64 : kDTypeOf<T>);
  for (size_t i = 0; i < sums.size(); ++i) {
    if (to_double) {
      result.mutable_data<double>()[i] =
          static_cast<double>(static_cast<int64_t>(sums[i])) /
          static_cast<double>(count);
    } else {
      const auto divisor =
          static_cast<Accumulator<T>>(mean == Mean::kYes ? count : 1);
      result.mutable_data<T>()[i] =
          static_cast<T>(std::is_integral_v<T> ? sums[i] : sums[i] / divisor);
    }
  }
  return result;
}

// Marks the given axes. Errors: InvalidArgument for an axis out of range or
// given twice.
std::array<bool, Shape::kMaxRank> MarkAxes(std::string_view operation,
                                           const Tensor& x,
                                           std::span<const int> axes) {
  std::array<bool, Shape::kMaxRank> marked{};
  for (const int axis : axes) {
    const int i = kernels_internal::NormalizeAxis(operation, axis, x.rank());
    if (marked[i]) {
      throw InvalidArgument("[{}] axis {} is named twice", operation, axis);
    }
    marked[i] = true;
  }
  return marked;
}

Tensor Reduce(std::string_view operation, const Tensor& x,
              std::span<const int> axes, bool keepdims, Mean mean) {
  if (!IsNarrowFloat(x.dtype())) {
    kernels_internal::CheckArithmetic(operation, "x", x);
  }
  const auto summed = MarkAxes(operation, x, axes);
  Shape kept = x.shape();
  std::vector<int64_t> dims;
  for (int i = 0; i < x.rank(); ++i) {
    if (summed[i]) kept = kept.WithDim(i, 1);
    if (!summed[i] || keepdims) dims.push_back(kept[i]);
  }
  if (OnGpu(operation, x)) {
    return gpu::Reduce(x, kept, Shape(dims), mean == Mean::kYes);
  }
  Tensor result;
  kernels_internal::VisitArithmeticOrNarrow(x.dtype(), [&]<typename T>() {
    std::vector<Accumulator<T>> sums(kept.num_elements());
    if (sums.size() == 1) {
      sums[0] = SumAll(x.data<T>(), x.num_elements());
    } else if (x.num_elements() > 0) {
      SumRows<T>(x, kept, sums.data());
    }
    const int64_t outputs = std::max<int64_t>(kept.num_elements(), 1);
    result = Finish<T>(sums, Shape(dims), mean, x.num_elements() / outputs);
  });
  return result;
}

Tensor ReduceAll(std::string_view operation, const Tensor& x, Mean mean) {
  constexpr std::array<int, Shape::kMaxRank> kAxes{0, 1, 2, 3, 4, 5, 6, 7};
  const int rank = x.defined() ? x.rank() : 0;
  return Reduce(operation, x, std::span(kAxes).first(rank), false, mean);
}

}  // namespace

Tensor ReduceSum(const Tensor& x) {
  return ReduceAll("ReduceSum", x, Mean::kNo);
}

Tensor ReduceSum(const Tensor& x, std::span<const int> axes, bool keepdims) {
  return Reduce("ReduceSum", x, axes, keepdims, Mean::kNo);
}

Tensor ReduceMean(const Tensor& x) {
  return ReduceAll("ReduceMean", x, Mean::kYes);
}

Tensor ReduceMean(const Tensor& x, std::span<const int> axes, bool keepdims) {
  return Reduce("ReduceMean", x, axes, keepdims, Mean::kYes);
}

Tensor SumToShape(const Tensor& tensor, const Shape& shape) {
  if (!tensor.defined() ||
      BroadcastShape("SumToShape", tensor.shape(), shape) != tensor.shape()) {
    throw InvalidArgument("[SumToShape] {} does not broadcast to {}",
                          ToString(shape), Describe(tensor));
  }
  if (tensor.shape() == shape) return tensor;
  std::vector<int> stretched;
  const int extra = tensor.rank() - shape.rank();
  for (int i = 0; i < tensor.rank(); ++i) {
    if (i < extra || shape[i - extra] != tensor.dim(i)) stretched.push_back(i);
  }
  return ReduceSum(tensor, stretched, /*keepdims=*/true).Reshape(shape);
}

namespace {

// The index of the largest of `count` elements that are `stride` apart.
template <typename T>
int64_t IndexOfLargest(const T* x, int64_t count, int64_t stride) {
  int64_t best = 0;
  for (int64_t i = 1; i < count; ++i) {
    const T& top = x[best * stride];
    const T& value = x[i * stride];
    // False for NaN on either side; only the first NaN wins.
    if (value > top || (value != value && top == top)) best = i;
  }
  return best;
}

}  // namespace

Tensor ArgMax(const Tensor& x, int axis) {
  if (!x.defined() || !(IsFloating(x.dtype()) || IsInteger(x.dtype()))) {
    throw InvalidArgument("[ArgMax] x must hold numbers, got {}", Describe(x));
  }
  axis = kernels_internal::NormalizeAxis("ArgMax", axis, x.rank());
  if (x.dim(axis) == 0) {
    throw InvalidArgument("[ArgMax] axis {} of {} has no elements", axis,
                          Describe(x));
  }
  const auto dims = x.shape().dims();
  std::vector<int64_t> kept(dims.begin(), dims.end());
  kept.erase(kept.begin() + axis);
  if (OnGpu("ArgMax", x)) return gpu::ArgMax(x, axis, Shape(kept));
  Tensor result = EmptyOnHost(Shape(kept), DType::kInt64);
  const int64_t inner = Shape(dims.subspan(axis + 1)).num_elements();
  VisitDType(x.dtype(), [&]<typename T>() {
    if constexpr (kIsNumber<T>) {
      int64_t* out = result.mutable_data<int64_t>();
      for (int64_t i = 0; i < result.num_elements(); ++i) {
        const T* first =
            x.data<T>() + i / inner * x.dim(axis) * inner + i % inner;
        out[i] = IndexOfLargest(first, x.dim(axis), inner);
      }
    }
  });
  return result;
}

}  // namespace lockstep::kernels
