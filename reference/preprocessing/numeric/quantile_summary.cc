// How it works. Batches are reduced to every n-th of their sorted values. Two
// summaries are merged by sorting their entries together; then the value at
// each multiple of epsilon of the whole weight is interpolated between its
// neighbours, and gets the weight since the multiple before. Weights and their
// sums are float32, interpolation is float64, as in Keras.
#include "reference/preprocessing/numeric/quantile_summary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>

#include "reference/base/error.h"

namespace lockstep {
namespace {

// NaN is last.
bool IsLess(float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

// The value at `x` of the line through the points (xs, ys), which is level
// before the first and after the last. REQUIRES: xs ascending, not empty.
double Interpolate(double x, std::span<const float> xs,
                   std::span<const float> ys) {
  const auto above = std::ranges::upper_bound(
      xs, x, {}, [](float value) { return double{value}; });
  if (above == xs.begin()) return ys.front();
  const auto j = static_cast<size_t>(above - xs.begin() - 1);
  if (j + 1 == xs.size() || xs[j] == x) return ys[j];
  const double slope =
      (double{ys[j + 1]} - ys[j]) / (double{xs[j + 1]} - xs[j]);
  return slope * (x - xs[j]) + ys[j];
}

}  // namespace

QuantileSummary::QuantileSummary(double epsilon) : epsilon_(epsilon) {
  if (!(epsilon > 0 && epsilon <= 1)) {
    throw InvalidArgument("[QuantileSummary] epsilon must be in (0, 1], got {}",
                          epsilon);
  }
}

QuantileSummary QuantileSummary::FromParts(double epsilon,
                                           std::vector<float> values,
                                           std::vector<float> weights) {
  QuantileSummary summary(epsilon);
  if (values.size() != weights.size()) {
    throw InvalidArgument(
        "[QuantileSummary] needs a weight for each value, got {} and {}",
        values.size(), weights.size());
  }
  summary.values_ = std::move(values);
  summary.weights_ = std::move(weights);
  return summary;
}

void QuantileSummary::Add(std::vector<float> numbers) {
  std::ranges::sort(numbers, IsLess);
  const double step =
      std::max(static_cast<double>(numbers.size()) / (1 / epsilon_), 1.0);
  QuantileSummary batch(epsilon_);
  for (auto i = static_cast<size_t>(step - 1); i < numbers.size();
       i += static_cast<size_t>(step)) {
    batch.values_.push_back(numbers[i]);
    batch.weights_.push_back(static_cast<float>(step));
  }
  MergeBefore(batch);
}

void QuantileSummary::Merge(const QuantileSummary& other) {
  MergeBefore(other);
}

void QuantileSummary::MergeBefore(const QuantileSummary& other) {
  std::vector<float> values = other.values_, weights = other.weights_;
  values.insert(values.end(), values_.begin(), values_.end());
  weights.insert(weights.end(), weights_.begin(), weights_.end());
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, IsLess, [&](size_t i) { return values[i]; });
  values_.clear();
  weights_.clear();
  for (const size_t i : order) {
    values_.push_back(values[i]);
    weights_.push_back(weights[i]);
  }
  Compress(epsilon_, static_cast<int64_t>(std::ceil(1 / epsilon_)));
}

void QuantileSummary::Compress(double step, int64_t count) {
  if (values_.empty() || static_cast<double>(values_.size()) * step < 1) return;
  std::vector<float> sums(weights_.size()), shares;
  std::partial_sum(weights_.begin(), weights_.end(), sums.begin());
  for (const float sum : sums) shares.push_back(sum / sums.back());
  std::vector<float> values, weights;
  double previous = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double share = step + static_cast<double>(i) * step;
    values.push_back(static_cast<float>(Interpolate(share, shares, values_)));
    const double sum = Interpolate(share, shares, sums);
    weights.push_back(static_cast<float>(sum - previous));
    previous = sum;
  }
  values_ = std::move(values);
  weights_ = std::move(weights);
}

std::vector<float> QuantileSummary::Boundaries(int64_t bins) const {
  QuantileSummary coarse = *this;
  coarse.Compress(1 / static_cast<double>(bins), bins);
  if (!coarse.values_.empty()) coarse.values_.pop_back();
  return coarse.values_;
}

}  // namespace lockstep
