#include "reference/kernels/reduction/weighted_sums.h"

#include <array>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"
#include "reference/kernels/elementwise/element_math.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::ElementWeights;
using kernels_internal::WeightsOf;

template <size_t count>
Tensor Rounded(const std::array<double, count>& sums, Device& device) {
  Tensor rounded = Tensor::Empty(Shape{count}, DType::kFloat32, device);
  for (size_t i = 0; i < count; ++i) {
    rounded.mutable_data<float>()[i] = static_cast<float>(sums[i]);
  }
  return rounded;
}

}  // namespace

Tensor WeightedSums(const Tensor& values, const Tensor& weights,
                    int64_t elements_each) {
  kernels_internal::CheckDType("WeightedSums", "values", values,
                               DType::kFloat32);
  if (OnGpu("WeightedSums", values, weights)) {
    return gpu::WeightedSums(values, weights, elements_each);
  }
  const float* value = values.data<float>();
  const ElementWeights weight = WeightsOf(weights, elements_each);
  double total = 0;
  double count = 0;
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    total += double{value[i]} * weight.At(i);
    count += weight.At(i);
  }
  return Rounded<2>({total, count}, values.device());
}

Tensor ConfusionSums(const Tensor& labels, const Tensor& scores,
                     double threshold, const Tensor& weights,
                     int64_t elements_each) {
  kernels_internal::CheckDType("Confusion", "labels", labels, DType::kFloat32);
  kernels_internal::CheckDType("Confusion", "scores", scores, DType::kFloat32);
  if (OnGpu("Confusion", scores, labels, weights)) {
    return gpu::ConfusionSums(labels, scores, threshold, weights,
                              elements_each);
  }
  const float* truth = labels.data<float>();
  const float* score = scores.data<float>();
  const ElementWeights weight = WeightsOf(weights, elements_each);
  double hits = 0;
  double false_alarms = 0;
  double misses = 0;
  for (int64_t i = 0; i < scores.num_elements(); ++i) {
    if (truth[i] != 0 && truth[i] != 1) {
      throw InvalidArgument("[Confusion] labels are 0 or 1, got {}", truth[i]);
    }
    const bool positive = score[i] > threshold;
    if (positive) (truth[i] == 1 ? hits : false_alarms) += weight.At(i);
    if (!positive && truth[i] == 1) misses += weight.At(i);
  }
  return Rounded<3>({hits, false_alarms, misses}, scores.device());
}

}  // namespace lockstep::kernels
