// The GPU versions of weighted_sums.h.
#include "reference/kernels/weighted_sums.h"

#include "reference/device/buffer.h"
#include "reference/device/cuda/check_cuda.h"
#include "reference/device/cuda/cuda_memory.h"
#include "reference/kernels/cuda/weighted_sums_launch.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::WeightsOf;

// Given back when this dies: what follows in the stream may use it again.
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
            "[Confusion] launch");
  return sums;
}

const RegisterKernel weighted_sums(gpu::WeightedSums, &WeightedSumsOnGpu);
const RegisterKernel confusion_sums(gpu::ConfusionSums, &ConfusionSumsOnGpu);

}  // namespace
}  // namespace lockstep::kernels
