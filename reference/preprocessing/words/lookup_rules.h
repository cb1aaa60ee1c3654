// What the layers with a vocabulary make of their options.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LOOKUP_RULES_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LOOKUP_RULES_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "reference/base/json.h"
#include "reference/preprocessing/words/learned_lookup.h"
#include "reference/preprocessing/words/lookup_options.h"
#include "reference/preprocessing/words/lookup_table.h"
#include "reference/preprocessing/words/stored_vocabulary.h"
#include "reference/tensor/nest.h"
#include "reference/tensor/tensor.h"

namespace lockstep::words_internal {

// Errors: InvalidArgument for options that Keras refuses.
template <typename Token>
LookupRules MakeRules(const std::string& layer,
                      const LookupOptions<Token>& options);

// Gives `lookup` the vocabulary of the options, if they have one. Errors: those
// of the vocabulary.
template <typename Token>
void SetInitial(const LookupOptions<Token>& options, LearnedLookup& lookup);

// LearnedLookup::SetWords.
template <typename Token>
void SetTokens(std::span<const Token> tokens, std::span<const double> weights,
               LearnedLookup& lookup);

// Value i has id i. Errors: InvalidArgument for a word that is not UTF-8.
template <typename Token>
std::vector<Token> ListTokens(const LookupOptions<Token>& options,
                              const LearnedLookup& lookup,
                              bool include_special_tokens);

// What files hold of the vocabulary, and the table of it. Errors: those of
// StoredVocabulary.
template <typename Token>
VocabularyContent ContentOf(const LookupOptions<Token>& options,
                            const LearnedLookup& lookup);
template <typename Token>
LookupTablePtr TableOf(const VocabularyContent& content,
                       const LearnedLookup& lookup);

// The same for checkpoints, as tensors: words may have any bytes, and there are
// none before there is a vocabulary.
inline constexpr char kWordsAttribute[] = "VOCABULARY";
inline constexpr char kWeightsAttribute[] = "IDF_WEIGHTS";
template <typename Token>
Tensor WordsTensor(const LearnedLookup& lookup);
Tensor WeightsTensor(const LearnedLookup& lookup);
template <typename Token>
LookupTablePtr TableOfTensors(const std::map<std::string, Tensor>& stored,
                              const LearnedLookup& lookup);

// The keys "vocabulary" and "idf_weights" of Keras' configuration; null for
// what was learned or is in a file.
template <typename Token>
Json GivenVocabulary(const LookupOptions<Token>& options);

// Errors: FailedPrecondition inside Run, and if the layer was made with a
// vocabulary.
template <typename Token>
void CheckMayAdapt(const std::string& layer,
                   const LookupOptions<Token>& options);

// The tensor of a dataset's element. Errors: InvalidArgument for a tuple.
const Tensor& OnlyTensor(const std::string& layer, const Structure& element);

}  // namespace lockstep::words_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LOOKUP_RULES_H_
