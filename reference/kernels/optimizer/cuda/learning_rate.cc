// GPU versions of learning_rate.h.

#include "reference/kernels/optimizer/learning_rate.h"

#include <algorithm>

#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/optimizer/cuda/learning_rate_launch.h"

namespace lockstep::kernels {
namespace {

Tensor ExponentialOnGpu(const Tensor& step, const ExponentialRate& formula) {
  Tensor rate = Tensor::Empty(Shape{}, DType::kFloat64, step.device());
  CheckCuda(cuda::ExponentialRateAt(step.data<int64_t>(), formula,
                                    rate.mutable_data<double>(),
                                    StreamOf(step.device())),
            "[ExponentialDecay] launch");
  return rate;
}

Tensor PiecewiseOnGpu(const Tensor& step, std::span<const int64_t> boundaries,
                      std::span<const double> values) {
  Tensor rate = Tensor::Scalar(values[0], step.device());
  for (size_t first = 0; first < boundaries.size();
       first += cuda::RatePieces::kMost) {
    const auto part = boundaries.subspan(first).first(
        std::min<size_t>(boundaries.size() - first, cuda::RatePieces::kMost));
    cuda::RatePieces pieces;
    pieces.size = static_cast<int>(part.size());
    std::ranges::copy(part, pieces.boundaries);
    std::ranges::copy(values.subspan(first + 1, part.size()), pieces.rates);
    CheckCuda(
        cuda::ChooseRate(step.data<int64_t>(), pieces,
                         rate.mutable_data<double>(), StreamOf(step.device())),
        "[PiecewiseConstantDecay] launch");
  }
  return rate;
}

const RegisterKernel exponential(gpu::ExponentialRateAt, &ExponentialOnGpu);
const RegisterKernel piecewise(gpu::PiecewiseRateAt, &PiecewiseOnGpu);

}  // namespace

}  // namespace lockstep::kernels
