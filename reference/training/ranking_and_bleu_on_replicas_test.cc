// Hit rate, gain and BLEU of N replicas are those of one: sums and counts are
// added, also of replicas with few examples or none.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/distribute/distribute_testing.h"
#include "reference/metrics/bleu.h"
#include "reference/metrics/ranking.h"
#include "reference/metrics/recommender_scores_testing.h"

namespace lockstep {
namespace {

// A part of the rows for each replica.
PerReplica<Tensor> Parts(const Tensor& rows, const std::vector<int64_t>& ends) {
  std::vector<Tensor> parts;
  int64_t begin = 0;
  for (const int64_t end : ends) {
    parts.push_back(rows.Slice(begin, end));
    begin = end;
  }
  return Tensors(parts);
}

class OnReplicas : public testing::TestWithParam<std::vector<int64_t>> {};

// PyTorch 2.15.0 gives these of all 12 rows.
TEST_P(OnReplicas, RankingIsOfAllRows) {
  const auto strategy = MakeStrategy(static_cast<int>(GetParam().size()));
  const StrategyScope scope = strategy->Scope();
  HitRate hits(10);
  Ndcg gain(10);
  strategy->Run(
      [&](const Tensor& scores) {
        const Tensor right = Tensor::Full<int64_t>(Shape{scores.dim(0)}, 30);
        hits.UpdateState(right, scores);
        gain.UpdateState(right, scores);
      },
      Parts(Tensor::FromVector(kRecommenderScores, Shape{12, 31}), GetParam()));
  EXPECT_NEAR(hits.Result(), 4 / 12.0, 1e-15);
  // Sums of gains are float32.
  EXPECT_NEAR(gain.Result(), 0.155219692276, 1e-7);
}

// By hand.
TEST_P(OnReplicas, BleuIsOfAllSentences) {
  const auto strategy = MakeStrategy(static_cast<int>(GetParam().size()));
  const StrategyScope scope = strategy->Scope();
  Bleu bleu;
  std::vector<int64_t> words;
  for (int64_t i = 0; i < 12; ++i) {
    // The first three sentences are right, the others have one wrong word.
    words.insert(words.end(), {1, 2, 3, 4, i < 3 ? 5 : 6});
  }
  strategy->Run(
      [&](const Tensor& candidates) {
        std::vector<int64_t> references;
        for (int64_t i = 0; i < candidates.dim(0); ++i) {
          references.insert(references.end(), {1, 2, 3, 4, 5});
        }
        bleu.UpdateState(
            Tensor::FromVector(references, Shape{candidates.dim(0), 5}),
            candidates);
      },
      Parts(Tensor::FromVector(words, Shape{12, 5}), GetParam()));
  const double matches = 51 / 60.0 * (39 / 48.0) * (27 / 36.0) * (15 / 24.0);
  EXPECT_NEAR(bleu.Result(), std::pow(matches, 0.25), 1e-15);
}

INSTANTIATE_TEST_SUITE_P(Ends, OnReplicas,
                         testing::Values(std::vector<int64_t>{12},
                                         std::vector<int64_t>{7, 12},
                                         std::vector<int64_t>{1, 1, 12}));

}  // namespace
}  // namespace lockstep
