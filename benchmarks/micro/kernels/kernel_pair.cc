#include "benchmarks/micro/kernels/kernel_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

#include "benchmarks/measurement/result_entry.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep::benchmarks {
namespace {

// Errors are relative to the largest magnitude of `wanted`.
std::string Difference(const Tensor& wanted, const Tensor& actual,
                       double tolerance) {
  const Tensor left = wanted.Cast(DType::kFloat64);
  const Tensor right = actual.Cast(DType::kFloat64);
  double largest = 0;
  for (const double value : left.span<double>()) {
    largest = std::max(largest, std::abs(value));
  }
  for (int64_t i = 0; i < left.num_elements(); ++i) {
    const double error = left.at<double>(i) - right.at<double>(i);
    if (std::abs(error) <= tolerance * largest) continue;
    return fmt::format(
        "{} instead of {} at element {}, more than {:.2g} of the largest, {}",
        right.at<double>(i), left.at<double>(i), i, tolerance, largest);
  }
  return "";
}

}  // namespace

std::string DimsOf(const Shape& shape) {
  return fmt::format("{}", fmt::join(shape.dims(), "x"));
}

std::vector<KernelPair> WorkloadKernels() {
  std::vector<KernelPair> all;
  for (const auto family :
       {ConvolutionPairs, LinearPairs, PoolingPairs, NormalizationPairs,
        ElementPairs, TransformerPairs}) {
    std::ranges::move(family(), std::back_inserter(all));
  }
  return all;
}

std::string KernelDifference(const std::vector<Tensor>& wanted,
                             const std::vector<Tensor>& actual,
                             double tolerance) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string difference =
        Difference(wanted[i], actual.at(i), tolerance);
    if (!difference.empty()) return fmt::format("result {}: {}", i, difference);
  }
  return "";
}

Tensor WholeNumbers(const Shape& shape, uint32_t seed, DType dtype) {
  std::mt19937 engine(seed);
  Tensor tensor = EmptyOnHost(shape);
  std::generate_n(tensor.mutable_data<float>(), tensor.num_elements(),
                  [&] { return static_cast<float>(engine() % 7) - 3; });
  return tensor.Cast(dtype);
}

std::string PairName(std::string_view kernel, std::string_view pass,
                     const Shape& x, DType dtype) {
  return EntryName(kernel)
      .With("pass", pass)
      .With("x", DimsOf(x))
      .With("dtype", DTypeName(dtype))
      .str();
}

std::string PairName(std::string_view kernel, const Shape& x) {
  return EntryName(kernel).With("x", DimsOf(x)).str();
}

KernelRun OneDnnRun(const std::shared_ptr<OneDnnSequence>& calls,
                    const std::vector<Tensor>& results) {
  return [=] {
    calls->Run();
    return results;
  };
}

}  // namespace lockstep::benchmarks
