// How well translations match their references: BLEU of a corpus (Papineni et
// al., "BLEU: a method for automatic evaluation of machine translation", 2002),
// without smoothing.
//
//   BleuCounts counts;
//   counts += CountNgrams(Words{"the", "cat", "sat", "on", "the", "mat"},
//                         {Words{"the", "cat", "sat", "on", "a", "mat"}});
//   counts.matches;      // 5, 3, 2, 1: of one word, of two, ...
//   counts.possible;     // 6, 5, 4, 3
//   BleuOf(counts);      // (5/6 * 3/5 * 2/4 * 1/3) ^ (1/4) = 0.537
//
// The score is between 0 and 1; published tables show 100 times it. It is that
// of a corpus and no mean over sentences: counts of all sentences are added
// first, over batches and over replicas.
#ifndef LOCKSTEP_REFERENCE_METRICS_BLEU_H_
#define LOCKSTEP_REFERENCE_METRICS_BLEU_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/metrics/metric.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

using Words = std::vector<std::string>;
using WordNumbers = std::vector<int64_t>;

struct BleuCounts {
  // Of n-grams of n = 1 to 4 words.
  static constexpr int kLongest = 4;

  // How many n-grams of the candidates their references have, each at most as
  // often as one reference has it; and how many n-grams the candidates have.
  std::array<int64_t, kLongest> matches = {};
  std::array<int64_t, kLongest> possible = {};
  int64_t candidate_words = 0;
  // Of the reference whose length is closest, the shorter one of two.
  int64_t reference_words = 0;

  BleuCounts& operator+=(const BleuCounts& other);
  bool operator==(const BleuCounts&) const = default;
};

// The counts of one sentence. Errors: InvalidArgument without references.
BleuCounts CountNgrams(const Words& candidate,
                       const std::vector<Words>& references);
BleuCounts CountNgrams(const WordNumbers& candidate,
                       const std::vector<WordNumbers>& references);

// The geometric mean of the four precisions, times exp(1 - reference_words /
// candidate_words) for candidates that are too short. 0 if one of the
// precisions is, also for a corpus without a sentence of four words.
double BleuOf(const BleuCounts& counts);

struct BleuOptions {
  // Ends a sentence, without being part of it.
  std::optional<int64_t> end_token;
  // Not part of sentences wherever they are: padding, the start.
  std::vector<int64_t> ignored_tokens = {0};
  std::string name = "bleu";
};

// BLEU of batches of token numbers, one reference per row.
//
//   Bleu bleu({.end_token = 2, .ignored_tokens = {0, 1}});
//   bleu.UpdateState(targets, decoded);   // int64 (rows, any length)
//   bleu.Result();
class Bleu : public Metric {
 public:
  explicit Bleu(BleuOptions options = {});

  // Labels are the references. A weight of a row is 0 or 1: whether it counts.
  // Errors: InvalidArgument for other weights and for shapes that do not fit;
  // Unimplemented on a GPU.
  void UpdateState(
      const Tensor& labels, const Tensor& predictions,
      const std::optional<Tensor>& sample_weight = std::nullopt) override;

  // Adds counts of sentences that are not tensors. Errors: InvalidArgument
  // outside Run if the metric was made in the scope of a strategy.
  void AddCounts(const BleuCounts& counts);

  // Of all sentences so far, exact while there are less than 2^24 words.
  double Result() const override;

 private:
  BleuOptions options_;
  VariablePtr matches_;
  VariablePtr possible_;
  VariablePtr words_;  // of candidates, of references
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_METRICS_BLEU_H_
