#include "reference/preprocessing/numeric/quantile_parts.h"

#include <iterator>

#include "reference/device/device.h"

namespace lockstep::preprocessing_internal {

std::vector<Tensor> ToTensors(const QuantileSummary& summary) {
  const auto on_host = [](const std::vector<float>& numbers) {
    return Tensor::FromVector(numbers, Shape{std::ssize(numbers)},
                              Device::Host());
  };
  return {on_host(summary.values()), on_host(summary.weights())};
}

QuantileSummary MergeSummaries(double epsilon,
                               const std::vector<std::vector<Tensor>>& parts) {
  QuantileSummary all(epsilon);
  for (const std::vector<Tensor>& part : parts) {
    const QuantileSummary found = QuantileSummary::FromParts(
        epsilon, part.at(0).ToVector<float>(), part.at(1).ToVector<float>());
    if (found.values().empty()) continue;
    if (all.values().empty()) {
      all = found;
    } else {
      all.Merge(found);
    }
  }
  return all;
}

}  // namespace lockstep::preprocessing_internal
