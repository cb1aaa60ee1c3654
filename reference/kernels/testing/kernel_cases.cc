#include "reference/kernels/testing/kernel_cases.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <type_traits>

namespace lockstep::kernels {
namespace {

template <typename T>
T AwkwardNumber(std::mt19937& engine) {
  using Limits = std::numeric_limits<T>;
  const uint32_t kind = engine() % 32;
  const double fraction = static_cast<int32_t>(engine()) * 0x1p-31;
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kRare[] = {Limits::quiet_NaN(),
                           Limits::infinity(),
                           -Limits::infinity(),
                           T{0},
                           -T{0},
                           Limits::denorm_min(),
                           -Limits::min() / 2,
                           Limits::max(),
                           Limits::lowest(),
                           Limits::min()};
    if (kind < std::size(kRare)) return kRare[kind];
    return static_cast<T>(kind % 2 ? fraction : fraction * 100);
  } else {
    constexpr T kRare[] = {0, 1, Limits::max(), Limits::lowest()};
    if (kind < std::size(kRare)) return kRare[kind];
    return static_cast<T>(static_cast<int64_t>(fraction * 100));
  }
}

bool Near(double actual, double wanted, double bound) {
  if (std::isnan(wanted)) return std::isnan(actual);
  if (actual == wanted) return std::signbit(actual) == std::signbit(wanted);
  return std::abs(actual - wanted) <= bound * std::max(1.0, std::abs(wanted));
}

// One unit in the last place of 1.
double UnitOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return 0x1p-52;
    case DType::kFloat16:
      return 0x1p-10;
    case DType::kBFloat16:
      return 0x1p-7;
    default:
      return 0x1p-23;
  }
}

std::string TensorDifference(const Tensor& on_device, const Tensor& wanted,
                             double ulps) {
  if (Describe(on_device) != Describe(wanted)) {
    return fmt::format("{} instead of {}", Describe(on_device),
                       Describe(wanted));
  }
  if (!wanted.defined() || wanted.dtype() == DType::kString) return "";
  const Tensor actual = on_device.ToHost();
  if (!IsFloating(wanted.dtype())) {
    return BitwiseEqual(actual, wanted) ? "" : "integers differ";
  }
  // Exact: every number of a narrower type is a double.
  const Tensor left = actual.Cast(DType::kFloat64);
  const Tensor right = wanted.Cast(DType::kFloat64);
  const double bound = ulps * UnitOf(wanted.dtype());
  for (int64_t i = 0; i < left.num_elements(); ++i) {
    const double got = left.at<double>(i);
    if (!Near(got, right.at<double>(i), bound)) {
      return fmt::format("element {} of {} is {} instead of {}", i,
                         Describe(wanted), got, right.at<double>(i));
    }
  }
  return "";
}

}  // namespace

template <typename T>
Tensor Awkward(const Shape& shape, uint32_t seed) {
  std::mt19937 engine(seed);
  Tensor tensor = Tensor::Empty(shape, kDTypeOf<T>, Device::Host());
  T* data = tensor.mutable_data<T>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    data[i] = AwkwardNumber<T>(engine);
  }
  return tensor;
}

template Tensor Awkward<float>(const Shape&, uint32_t);
template Tensor Awkward<double>(const Shape&, uint32_t);
template Tensor Awkward<int32_t>(const Shape&, uint32_t);
template Tensor Awkward<int64_t>(const Shape&, uint32_t);
template Tensor Awkward<uint8_t>(const Shape&, uint32_t);

std::string Difference(const Tensors& actual, const Tensors& wanted,
                       double ulps) {
  if (actual.size() != wanted.size()) {
    return fmt::format("{} results instead of {}", actual.size(),
                       wanted.size());
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string difference = TensorDifference(actual[i], wanted[i], ulps);
    if (!difference.empty()) {
      return fmt::format("result {}: {}", i, difference);
    }
  }
  return "";
}

std::vector<KernelCase> AllKernelCases() {
  std::vector<KernelCase> all;
  for (const auto& list :
       {ElementwiseCases(), BroadcastCases(), CastCases(), MovementCases(),
        ReductionCases(), SoftmaxCases(), InPlaceCases(), MetricCases(),
        OptimizerCases(), StepCases(), ProductCases(), LayerCases()}) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

}  // namespace lockstep::kernels
