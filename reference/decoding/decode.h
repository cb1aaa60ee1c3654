// Sequences of tokens from a model that scores the next one: greedily, and with
// a beam, for any step function.
//
//   const DecodingStep step = [&](const Structure& state, const Tensor& tokens) {
//     const Structure result = decoder({tokens, state[0]});
//     return NextTokens{.log_probabilities = result[0], .state = result[1]};
//   };
//   const auto best = GreedyDecode(step, encoded, rows, {.most_tokens = 20});
//   best[0].tokens;              // {7, 4}: without start and end
//   const auto beams = BeamDecode(step, encoded, rows, {.beam = 5});
//   beams[0][0].tokens;          // of row 0 the best of five
//
// The state is a structure of tensors with one row per sequence, or an empty
// tuple. Its rows move as hypotheses do, so the number of rows changes from call
// to call.
#ifndef LOCKSTEP_REFERENCE_DECODING_DECODE_H_
#define LOCKSTEP_REFERENCE_DECODING_DECODE_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "reference/tensor/nest.h"
#include "reference/tensor/tensor.h"

namespace lockstep {

struct NextTokens {
  // Of every token after each sequence: (rows, vocabulary), at most 0.
  Tensor log_probabilities;
  Structure state = {};
};

// `tokens` are the last ones of the sequences, int64 (rows,); at first the start.
using DecodingStep =
    std::function<NextTokens(const Structure& state, const Tensor& tokens)>;

struct DecodeOptions {
  int64_t start_token = 1;
  int64_t end_token = 2;
  // A sequence with this many tokens is left as it is.
  int64_t most_tokens = 100;
};

struct Hypothesis {
  std::vector<int64_t> tokens;  // without start and end
  double log_probability = 0;   // the sum, with that of the end
  double score = 0;             // after the length penalty
  bool ended = false;

  bool operator==(const Hypothesis&) const = default;
};

// The most probable token each time, the lowest of several. The score is the
// log probability. Errors: InvalidArgument for negative rows, most_tokens below
// 1, log probabilities of another shape, a NaN, and an end that is no token of
// the vocabulary.
std::vector<Hypothesis> GreedyDecode(const DecodingStep& step,
                                     const Structure& state, int64_t rows,
                                     const DecodeOptions& options = {});

struct BeamOptions {
  DecodeOptions decode = {};
  // Sequences per row that are kept each time.
  int64_t beam = 4;
  // A score is the log probability divided by ((5 + length) / 6) to this power,
  // with the end as part of the length (Wu et al., "Google's neural machine
  // translation system", 2016). 0 prefers short sequences; MLPerf has 0.6.
  double length_penalty = 0;
};

// At most `beam` hypotheses of each row, the best score first: those that ended,
// and then others if there are less. A row is finished when `beam` of its
// hypotheses have ended. An end counts where it is among the best `beam`
// continuations, so that a beam of 1 without a length penalty is greedy. Of equal
// probabilities the better sequence's goes first, then the lower token. Errors:
// as GreedyDecode, and InvalidArgument for a beam below 1.
std::vector<std::vector<Hypothesis>> BeamDecode(
    const DecodingStep& step, const Structure& state, int64_t rows,
    const BeamOptions& options = {});

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_DECODING_DECODE_H_
