#include "reference/kernels/reduction/weighted_sums.h"

#include <array>

#include "reference/base/error.h"
#include "reference/kernels/check_tensor.h"
#include "reference/kernels/device_kernel.h"

namespace lockstep::kernels {
namespace {

using kernels_internal::ElementWeights;
using kernels_internal::WeightsOf;

template <size_t kCount>
Tensor ToFloat32(const std::array<double, kCount>& sums, Device& device) {
  Tensor rounded = Tensor::Empty(Shape{kCount}, DType::kFloat32, device);
  auto* to = rounded.mutable_data<float>();
  for (size_t i = 0; i < kCount; ++i) to[i] = static_cast<float>(sums[i]);
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
  double weighted_sum = 0;
  double weight_sum = 0;
  for (int64_t i = 0; i < values.num_elements(); ++i) {
    weighted_sum += double{value[i]} * weight.At(i);
    weight_sum += weight.At(i);
  }
  return ToFloat32<2>({weighted_sum, weight_sum}, values.device());
}

Tensor ConfusionSums(const Tensor& labels, const Tensor& scores,
                     double threshold, const Tensor& weights,
                     int64_t elements_each) {
  kernels_internal::CheckDType("ConfusionSums", "labels", labels,
                               DType::kFloat32);
  kernels_internal::CheckDType("ConfusionSums", "scores", scores,
                               DType::kFloat32);
  if (OnGpu("ConfusionSums", labels, scores, weights)) {
    return gpu::ConfusionSums(labels, scores, threshold, weights,
                              elements_each);
  }
  const float* label = labels.data<float>();
  const float* score = scores.data<float>();
  const ElementWeights weight = WeightsOf(weights, elements_each);
  double true_positives = 0;
  double false_positives = 0;
  double false_negatives = 0;
  for (int64_t i = 0; i < scores.num_elements(); ++i) {
    if (label[i] != 0 && label[i] != 1) {
      throw InvalidArgument("[ConfusionSums] labels must be 0 or 1, got {}",
                            label[i]);
    }
    const bool predicted = score[i] > threshold;
    const bool actual = label[i] == 1;
    if (predicted && actual) {
      true_positives += weight.At(i);
    } else if (predicted) {
      false_positives += weight.At(i);
    } else if (actual) {
      false_negatives += weight.At(i);
    }
  }
  return ToFloat32<3>({true_positives, false_positives, false_negatives},
                      scores.device());
}

}  // namespace lockstep::kernels
