// The table of a layer that is given a vocabulary, or learns one.
//
//   LearnedLookup lookup(rules, max_tokens);
//   lookup.Learn(counts);              // the most frequent words
//   lookup.table()->IdOf("cat");
//
// A caller keeps the table that it got while another is learned. Thread-safe.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LEARNED_LOOKUP_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LEARNED_LOOKUP_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/preprocessing/agreed_state.h"
#include "reference/preprocessing/words/lookup_table.h"
#include "reference/preprocessing/words/vocabulary/word_counts.h"

namespace lockstep::words_internal {

class LearnedLookup {
 public:
  // `max_tokens` limits the number of ids.
  LearnedLookup(LookupRules rules, std::optional<int64_t> max_tokens)
      : rules_(std::move(rules)), max_tokens_(max_tokens) {}

  // Words in order. They may start with the mask and the words for unknown
  // words, just as the ids do. `weights`, for kTfIdf only, has one for each of
  // these words; ids without a word get the mean. Errors: InvalidArgument for
  // no words, a word that is there twice or is the mask, too many of them, and
  // weights that do not fit; FailedPrecondition if vectors would change their
  // length.
  void SetWords(std::span<const std::string_view> words,
                std::span<const double> weights);
  // The words of a file or a list, none of them special. Errors:
  // InvalidArgument for too many of them, and for kTfIdf.
  void SetVocabulary(VocabularyPtr words);
  // A table of the words of all ids, with their weights for kTfIdf (words/
  // stored_vocabulary.h), and the same made this layer's. Errors: those of
  // StoredVocabulary::Prepare.
  LookupTablePtr MakeStored(std::span<const std::string_view> words,
                            std::span<const float> weights) const;
  void Adopt(LookupTablePtr table);
  // Words by frequency. Nothing happens without any. Errors: as SetWords.
  void Learn(const WordCounts& counts);

  const LookupRules& rules() const { return rules_; }
  // nullptr before there is one.
  LookupTablePtr FindTable() const;
  // Whose words were not changed in their file. Errors: FailedPrecondition
  // before there is one, and for changed words; in Run also if workers have
  // different ones (preprocessing/agreed_state.h).
  LookupTablePtr table() const;
  // The number of ids.
  int64_t size() const;
  // The length of vectors; kUnknownDim before it is known.
  int64_t depth() const;

 private:
  // Its words and weights, as text.
  void VisitState(const preprocessing_internal::StateVisitor& visit) const;
  // Errors: InvalidArgument for a mask in the vocabulary.
  VocabularyPtr WithoutSpecial(std::span<const std::string_view> words) const;
  // Errors: those of too many words and of vectors that change their length.
  LookupTablePtr MakeTable(VocabularyPtr words,
                           std::vector<float> weights) const;
  // Whether the words begin with those of the ids below the vocabulary's first.
  bool BeginsWithSpecial(std::span<const std::string_view> words) const;
  std::vector<float> PadWeights(std::span<const double> weights,
                                int64_t front) const;

  const LookupRules rules_;
  const std::optional<int64_t> max_tokens_;
  mutable std::mutex mutex_;
  LookupTablePtr table_;
  preprocessing_internal::AgreedState agreed_;
};

}  // namespace lockstep::words_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LEARNED_LOOKUP_H_
