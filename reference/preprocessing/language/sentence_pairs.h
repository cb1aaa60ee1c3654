// Pairs of segments for next-sentence prediction (Devlin et al., "BERT", 2019):
// half of the second segments follow the first one, half are of another
// document.
//
//   // Two documents: sentences, of token numbers.
//   const SentencePairs pairs({{{5, 6}, {7}, {8, 9}}, {{10}, {11, 12}}},
//                             {.length = 8});
//   pairs.size();                 // 3: places between sentences
//   const SentencePair pair = pairs.Get(0);
//   pair.tokens;                  // {2, 5, 6, 3, 7, 3}, if it follows
//   pair.types;                   // {0, 0, 0, 0, 1, 1}
//   pair.follows;                 // whether it does
//
// What a number's example is depends on the texts, the options, the epoch and
// the number only (base/random/example_random.h).
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_SENTENCE_PAIRS_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_SENTENCE_PAIRS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/base/random.h"
#include "reference/preprocessing/language/masking.h"
#include "reference/tensor/nest.h"

namespace lockstep {

using SentenceTokens = std::vector<int64_t>;
using Document = std::vector<SentenceTokens>;

struct SentencePairOptions {
  int64_t length = 128;  // of an example, at most, with three special tokens
  int64_t first_token = 2;
  int64_t separator = 3;
  uint64_t seed = 1;
};

struct SentencePair {
  std::vector<int64_t> tokens;
  std::vector<int64_t> types;  // 0 for the first segment, 1 for the second
  bool follows = false;

  bool operator==(const SentencePair&) const = default;
};

class SentencePairs {
 public:
  // Empty sentences do not count. Errors: InvalidArgument for a length below 5,
  // and unless there is a document of two sentences and another document.
  SentencePairs(std::vector<Document> documents,
                const SentencePairOptions& options = {});

  // One example for each sentence that another one of its document follows.
  int64_t size() const { return static_cast<int64_t>(places_.size()); }

  // The first segment is whole sentences before the place, as many as fit into
  // half of the length, the second those after it, or those of another document
  // from any sentence on. A single sentence that is too long loses its end.
  // Errors: InvalidArgument unless 0 <= number < size().
  SentencePair Get(int64_t number, int64_t epoch = 0) const;

 private:
  // Before sentence `sentence` of a document.
  struct Place {
    size_t document;
    size_t sentence;
  };

  SentenceTokens Before(const Place& place, int64_t most) const;
  SentenceTokens After(const Place& place, int64_t most) const;
  Place AnotherDocument(size_t than, Random& random) const;

  std::vector<Document> documents_;
  SentencePairOptions options_;
  std::vector<Place> places_;
};

// An example with some of its tokens masked, of fixed shapes: a tuple of int64
// tokens, whether each is there, and types, each (length,); int64 positions and
// labels and float32 weights of predictions, each (most_predictions,), whose
// weights are 1 for the first ones and 0 for the others, which are 0; and int64
// 1 if the second segment follows, a scalar.
//
//   Dataset::Range(pairs.size()).Map([&](const Structure& number) {
//     return PretrainingExample(pairs, number.leaf().item<int64_t>(), epoch,
//                               length, masking);
//   }).Batch(32);
//
// Errors: of Get and MaskTokens; InvalidArgument for an example that is longer.
Structure PretrainingExample(const SentencePairs& pairs, int64_t number,
                             int64_t epoch, int64_t length,
                             const MaskingOptions& masking);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_SENTENCE_PAIRS_H_
