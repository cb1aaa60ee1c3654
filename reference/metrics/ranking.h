// Whether a recommender ranks the right item high: hit rate and normalized
// discounted cumulative gain, among candidates with one right item per row.
//
//   HitRate hits(2);
//   const Tensor right = Tensor::FromVector<int64_t>({0, 2});
//   // Rank 1 (one candidate is better), and rank 2 (two are better).
//   const Tensor scores =
//       Tensor::FromVector<float>({5, 9, 1, 7, 8, 3}, Shape{2, 3});
//   hits.UpdateState(right, scores);
//   hits.Result();                       // 0.5: rank 2 is not among the first 2
//   Ndcg gain(2);
//   gain.UpdateState(right, scores);
//   gain.Result();                       // (1 / log2(3) + 0) / 2
//
// A row's rank is the number of candidates with a higher score than the right
// one; equal scores do not count, as in the recommenders' published code, so
// that a right item which is also among the others keeps its rank. A candidate
// that only fills a row has the score -infinity. A row with a NaN is a miss.
// Filled rows have weight 0. The state is sums and counts, which are added over
// replicas, so that the mean is that of all rows.
#ifndef LOCKSTEP_REFERENCE_METRICS_RANKING_H_
#define LOCKSTEP_REFERENCE_METRICS_RANKING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "reference/metrics/metric.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

// The base of means over rows of a gain that depends on the rank.
class RankingMetric : public WeightedMean {
 public:
  // Labels are the position of the right item in each row, predictions the
  // scores [rows, candidates]; weights as of WeightedMean::Accumulate. Errors:
  // InvalidArgument for other shapes, and for a label that is not a position;
  // Unimplemented on a GPU.
  void UpdateState(
      const Tensor& labels, const Tensor& predictions,
      const std::optional<Tensor>& sample_weight = std::nullopt) override;

 protected:
  // Errors: InvalidArgument for k < 1.
  RankingMetric(int64_t k, std::string name);

 private:
  // The gain of a right item of this rank, below k.
  virtual float GainOf(int64_t rank) const = 0;

  int64_t k_;
};

// The share of rows whose right item is among the first k.
class HitRate : public RankingMetric {
 public:
  explicit HitRate(int64_t k, std::string name = "hit_rate")
      : RankingMetric(k, std::move(name)) {}

 private:
  float GainOf(int64_t /*rank*/) const override { return 1; }
};

// The mean of 1 / log2(rank + 2) of right items among the first k, and 0 for
// the others: with one right item the ideal gain is 1.
class Ndcg : public RankingMetric {
 public:
  explicit Ndcg(int64_t k, std::string name = "ndcg")
      : RankingMetric(k, std::move(name)) {}

 private:
  float GainOf(int64_t rank) const override;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_RANKING_H_
