// Which tokens of a sentence a language model has to predict (Devlin et al.,
// "BERT", 2019): 15 % of them, of which 80 % become the mask, 10 % another word
// and 10 % stay.
//
//   const MaskedTokens masked = MaskTokens(
//       tokens, /*example=*/7,
//       {.mask_token = 4, .first_word = 5, .vocabulary = 4000});
//   masked.tokens;      // as tokens, with some replaced
//   masked.positions;   // of those to predict, increasing
//   masked.labels;      // what was there
//
// The choice depends on the seed, the epoch and the number of the example only:
// it is the same on any number of replicas, in any order of reading, and after a
// restart. No other example's choice changes it.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_MASKING_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_MASKING_H_

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

struct MaskingOptions {
  int64_t mask_token = 4;
  // Tokens below are special: they are neither predicted nor drawn.
  int64_t first_word = 5;
  // Words that are drawn are first_word to vocabulary - 1.
  int64_t vocabulary = 0;
  // Of all tokens, the special ones too, as in BERT's code; at least one word.
  double share = 0.15;
  int64_t most_predictions = 20;
  double mask_share = 0.8;
  double random_share = 0.1;
  uint64_t seed = 1;
};

struct MaskedTokens {
  std::vector<int64_t> tokens;
  std::vector<int64_t> positions;
  std::vector<int64_t> labels;

  bool operator==(const MaskedTokens&) const = default;
};

// Errors: InvalidArgument for shares outside 0 to 1 or with a sum above 1, for
// an empty range of words, and for a negative example or epoch.
MaskedTokens MaskTokens(std::span<const int64_t> tokens, int64_t example,
                        const MaskingOptions& options, int64_t epoch = 0);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_MASKING_H_
