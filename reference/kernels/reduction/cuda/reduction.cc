// GPU versions of reduce.h and weighted_sums.h.

#include <algorithm>
#include <type_traits>

#include "reference/device/buffer.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/reduction_plan.h"
#include "reference/kernels/dtype_dispatch.h"
#include "reference/kernels/reduction/cuda/reduction_launch.h"
#include "reference/kernels/reduction/reduce.h"
#include "reference/kernels/reduction/weighted_sums.h"

namespace lockstep::kernels {
namespace {

// Sums, or means if `divisor` is not 1.
template <typename T, typename Result>
void Sum(const Tensor& x, const Shape& kept, double divisor, Tensor& result) {
  const cudaStream_t stream = StreamOf(x.device());
  const int64_t sums = result.num_elements();
  auto* results = result.mutable_data<Result>();
  if (x.num_elements() == 0) {
    CheckCuda(cuda::SumOfNothing<T>(sums, divisor, results, stream),
              "[Reduce] launch");
    return;
  }
  using Partial = cuda::Accumulator<T>;
  const cuda::ReductionPlan plan = cuda::PlanReduction(x.shape(), kept);
  const int64_t partials = plan.pieces == 1 ? 0 : sums * plan.pieces;
  const BufferPtr partial = Buffer::Allocate(
      x.device(), static_cast<size_t>(partials) * sizeof(Partial));
  CheckCuda(cuda::Sum(x.data<T>(), plan, divisor,
                      static_cast<Partial*>(partial->data()), results, stream),
            "[Reduce] launch");
}

Tensor ReduceOnGpu(const Tensor& x, const Shape& kept, const Shape& shape,
                   bool mean) {
  const int64_t outputs = std::max<int64_t>(kept.num_elements(), 1);
  const double divisor =
      mean ? static_cast<double>(x.num_elements() / outputs) : 1.0;
  Tensor result;
  kernels_internal::VisitArithmeticOrNarrow(x.dtype(), [&]<typename T>() {
    if constexpr (std::is_integral_v<T>) {
      if (mean) {
        result = Tensor::Empty(shape, DType::kFloat64, x.device());
        return Sum<T, double>(x, kept, divisor, result);
      }
    }
    result = Tensor::Empty(shape, x.dtype(), x.device());
    Sum<T, T>(x, kept, divisor, result);
  });
  return result;
}

const RegisterKernel reduce(gpu::Reduce, &ReduceOnGpu);

}  // namespace

namespace {

Tensor ArgMaxOnGpu(const Tensor& x, int axis, const Shape& shape) {
  Tensor best = Tensor::Empty(shape, DType::kInt64, x.device());
  const auto dims = x.shape().dims();
  const int64_t outer = Shape(dims.first(axis)).num_elements();
  const int64_t inner = Shape(dims.subspan(axis + 1)).num_elements();
  VisitDType(x.dtype(), [&]<typename T>() {
    if constexpr (kIsNumber<T> && !std::is_same_v<T, bool>) {
      CheckCuda(
          cuda::ArgMax(x.data<T>(), outer, x.dim(axis), inner,
                       best.mutable_data<int64_t>(), StreamOf(x.device())),
          "[ArgMax] launch");
    }
  });
  return best;
}

const RegisterKernel arg_max(gpu::ArgMax, &ArgMaxOnGpu);

}  // namespace

namespace {

using kernels_internal::WeightsOf;

// Temporary memory, freed by the destructor: later work in the stream may reuse
// it.
class Scratch {
 public:
  explicit Scratch(const Tensor& elements)
      : buffer_(Buffer::Allocate(elements.device(),
                                 static_cast<size_t>(cuda::WeightedSumsScratch(
                                     elements.num_elements())) *
                                     sizeof(double))) {}
  double* data() const { return static_cast<double*>(buffer_->data()); }

 private:
  BufferPtr buffer_;
};

Tensor WeightedSumsOnGpu(const Tensor& values, const Tensor& weights,
                         int64_t elements_each) {
  Tensor sums = Tensor::Empty(Shape{2}, DType::kFloat32, values.device());
  const Scratch scratch(values);
  CheckCuda(cuda::WeightedSums(
                values.data<float>(), WeightsOf(weights, elements_each),
                values.num_elements(), scratch.data(),
                sums.mutable_data<float>(), StreamOf(values.device())),
            "[WeightedSums] launch");
  return sums;
}

Tensor ConfusionSumsOnGpu(const Tensor& labels, const Tensor& scores,
                          double threshold, const Tensor& weights,
                          int64_t elements_each) {
  Tensor sums = Tensor::Empty(Shape{3}, DType::kFloat32, scores.device());
  const Scratch scratch(scores);
  CheckCuda(cuda::ConfusionSums(labels.data<float>(), scores.data<float>(),
                                threshold, WeightsOf(weights, elements_each),
                                scores.num_elements(), scratch.data(),
                                sums.mutable_data<float>(),
                                StreamOf(scores.device())),
            "[ConfusionSums] launch");
  return sums;
}

const RegisterKernel weighted_sums(gpu::WeightedSums, &WeightedSumsOnGpu);
const RegisterKernel confusion_sums(gpu::ConfusionSums, &ConfusionSumsOnGpu);

}  // namespace
}  // namespace lockstep::kernels
