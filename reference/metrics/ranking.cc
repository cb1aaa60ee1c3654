#include "reference/metrics/ranking.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "reference/base/error.h"
#include "reference/tensor/host_tensor.h"

namespace lockstep {
namespace {

void CheckBatch(const std::string& name, const Tensor& labels,
                const Tensor& predictions) {
  if (predictions.rank() != 2 || labels.num_elements() != predictions.dim(0)) {
    throw InvalidArgument(
        "[{}] wanted scores (rows, candidates) and one label per row, got {} "
        "and labels {}",
        name, Describe(predictions), Describe(labels));
  }
  if (!predictions.on_host() || !labels.on_host()) {
    throw Unimplemented("[{}] has no kernel for predictions on {}", name,
                        predictions.device().name());
  }
}

// How many scores are higher than the right one; nothing for a row with a NaN.
std::optional<int64_t> RankOf(std::span<const float> scores, int64_t right) {
  if (std::ranges::any_of(scores, [](float s) { return std::isnan(s); })) {
    return std::nullopt;
  }
  return std::ranges::count_if(
      scores, [&](float score) { return score > scores[right]; });
}

}  // namespace

RankingMetric::RankingMetric(int64_t k, std::string name)
    : WeightedMean(std::move(name)), k_(k) {
  if (k < 1) {
    throw InvalidArgument("[{}] k must be at least 1, got {}", this->name(), k);
  }
}

void RankingMetric::UpdateState(const Tensor& labels, const Tensor& predictions,
                                const std::optional<Tensor>& sample_weight) {
  CheckBatch(name(), labels, predictions);
  const Tensor positions = labels.Cast(DType::kInt64);
  const Tensor scores = predictions.Cast(DType::kFloat32);
  const int64_t candidates = scores.dim(1);
  Tensor gains = ZerosOnHost(Shape{scores.dim(0)});
  for (int64_t row = 0; row < gains.num_elements(); ++row) {
    const int64_t right = positions.at<int64_t>(row);
    if (right < 0 || right >= candidates) {
      throw InvalidArgument(
          "[{}] the label of row {} is {}, wanted a position among {} "
          "candidates",
          name(), row, right, candidates);
    }
    const std::optional<int64_t> rank = RankOf(
        scores.span<float>().subspan(row * candidates, candidates), right);
    if (rank && *rank < k_) gains.mutable_data<float>()[row] = GainOf(*rank);
  }
  Accumulate(gains, sample_weight);
}

float Ndcg::GainOf(int64_t rank) const {
  return static_cast<float>(1 / std::log2(static_cast<double>(rank) + 2));
}

}  // namespace lockstep
