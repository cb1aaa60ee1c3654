#include "reference/preprocessing/numeric/batch_moments.h"

#include <cstdint>

#include "reference/base/error.h"
#include "reference/device/device.h"

namespace lockstep::preprocessing_internal {
namespace {

template <typename T>
Tensor OnHost(const std::vector<T>& values) {
  return Tensor::FromVector(values, Shape{std::ssize(values)}, Device::Host());
}

// REQUIRES: made by ToTensors, of some batches.
BatchMoments FromTensors(const std::vector<Tensor>& found) {
  const Moments moments = Moments::FromParts(found.at(1).item<int64_t>(),
                                             found.at(2).ToVector<double>(),
                                             found.at(3).ToVector<double>());
  return {Shape(found.at(0).ToVector<int64_t>()), moments};
}

}  // namespace

std::vector<Tensor> ToTensors(const std::optional<BatchMoments>& found) {
  if (!found) return {};
  const auto dims = found->shape.dims();
  return {OnHost(std::vector<int64_t>(dims.begin(), dims.end())),
          Tensor::Scalar(found->moments.count(), Device::Host()),
          OnHost(found->moments.mean()),
          OnHost(found->moments.squared_deviations())};
}

std::optional<BatchMoments> MergeMoments(
    std::string_view operation, const std::vector<std::vector<Tensor>>& parts) {
  std::optional<BatchMoments> all;
  size_t first = 0;
  for (size_t worker = 0; worker < parts.size(); ++worker) {
    if (parts[worker].empty()) continue;
    const BatchMoments found = FromTensors(parts[worker]);
    if (!all) {
      all = found;
      first = worker;
      continue;
    }
    if (found.moments.columns() != all->moments.columns()) {
      throw InvalidArgument(
          "[{}] worker {} has data of {} columns, worker {} of {}", operation,
          first, all->moments.columns(), worker, found.moments.columns());
    }
    all->moments.Merge(found.moments);
  }
  return all;
}

}  // namespace lockstep::preprocessing_internal
