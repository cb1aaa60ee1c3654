#include "reference/training/summary/histogram_buckets.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lockstep::summary_internal {
namespace {

constexpr size_t kBuckets = 30;

std::vector<double> FiniteElements(const Tensor& values) {
  std::vector<double> elements =
      values.ToHost().Cast(DType::kFloat64).ToVector<double>();
  std::erase_if(elements, [](double value) { return !std::isfinite(value); });
  return elements;
}

}  // namespace

std::vector<Bucket> HistogramBuckets(const Tensor& values) {
  const std::vector<double> elements = FiniteElements(values);
  std::vector<Bucket> buckets(kBuckets, Bucket{0, 0, 0});
  if (elements.empty()) return buckets;
  const auto [least, most] = std::ranges::minmax(elements);
  // Subtracts halves, which cannot overflow.
  const double width = (most / 2 - least / 2) / kBuckets * 2;
  for (size_t i = 0; i < kBuckets; ++i) {
    const auto edge = [&](size_t index) {
      return index == kBuckets ? most
                               : least + static_cast<double>(index) * width;
    };
    buckets[i] = {edge(i), edge(i + 1), 0};
  }
  for (const double value : elements) {
    // Without a width, all elements are equal to the largest.
    const double place = width > 0 ? (value - least) / width : kBuckets;
    ++buckets[static_cast<size_t>(std::min(place, kBuckets - 1.0))].count;
  }
  return buckets;
}

}  // namespace lockstep::summary_internal
