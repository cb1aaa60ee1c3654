// The GPU version of reduce.h.
#include "reference/kernels/reduce.h"

#include <algorithm>

#include "reference/device/buffer.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/reduce_launch.h"
#include "reference/kernels/cuda/reduction_plan.h"
#include "reference/kernels/visit_arithmetic.h"

namespace lockstep::kernels {
namespace {

// Sums, or means where `divisor` is no 1.
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
}  // namespace lockstep::kernels
