// A layer that turns texts into numbers of words.
//
//   TextVectorization vectorize({.vocabulary = {{"a", "b", "c"}}});
//   vectorize(texts);   // ["A b, q a!", "c", ""] ->
//                       // [[2, 3, 1, 2], [4, 0, 0, 0], [0, 0, 0, 0]]
//
//   TextVectorization learned({.max_tokens = 20000,
//                              .output_sequence_length = 200});
//   learned.Adapt(texts_of_dataset);
//
// Number 0 pads, 1 is for unknown words. In other output modes each text is a
// vector (preprocessing/output_mode.h), where padding has no entry: 0 is for
// unknown words. The vocabulary is as that of StringLookup (words/lookup.h).
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_TEXT_VECTORIZATION_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_TEXT_VECTORIZATION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reference/preprocessing/words/tokens.h"
#include "reference/preprocessing/words/vocabulary_layer.h"

namespace lockstep {

// The numbers of words that are joined to one token: 3 for 1 and 2 and 3, or a
// list of them.
using Ngrams = std::variant<int64_t, std::vector<int64_t>>;

struct TextVectorizationOptions {
  std::optional<int64_t> max_tokens = std::nullopt;  // as LookupOptions
  Standardize standardize = Standardize::kLowerAndStripPunctuation;
  SplitAt split = SplitAt::kWhitespace;
  std::optional<Ngrams> ngrams = std::nullopt;
  // kOneHot only for texts of equal numbers of tokens.
  OutputMode output_mode = OutputMode::kInt;
  // kInt: longer texts are cut, shorter ones padded; by default to the longest.
  std::optional<int64_t> output_sequence_length = std::nullopt;
  bool pad_to_max_tokens = false;
  std::optional<std::vector<std::string>> vocabulary = std::nullopt;
  std::string vocabulary_file = "";
  std::optional<std::vector<double>> idf_weights = std::nullopt;
  std::optional<int64_t> vocabulary_size = std::nullopt;  // as LookupOptions
  std::string name = "";  // "text_vectorization", ... by default
};

class TextVectorizationImpl : public VocabularyLayerImpl<std::string> {
 public:
  explicit TextVectorizationImpl(TextVectorizationOptions options);

  using VocabularyLayerImpl::Count;
  void Count(const Tensor& batch,
             words_internal::WordCounts& counts) const override;

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  // Errors: FailedPrecondition without a vocabulary, or if its file was changed
  // in place; Unimplemented for other types than strings; InvalidArgument for a
  // shape that is not (n), (n, 1) or (..., 1), unless nothing is split.
  Tensor Call(const Tensor& x, bool training) override;

 private:
  // The shape of the texts, each of which has its own tokens. Errors: as Call.
  Shape TextsOf(const Shape& input_shape) const;
  // Calls `visit` with the tokens of each text.
  template <typename Visit>
  void VisitTexts(const Tensor& x, const Visit& visit) const;
  words_internal::TokenizerOptions MakeTokenizerOptions() const;

  const TextVectorizationOptions options_;
};

// Adapts to the tokens of each text as a document.
class TextVectorization : public VocabularyLayer<std::string> {
 public:
  // Errors: InvalidArgument for options that Keras refuses and for n-grams
  // below 1; those of a vocabulary, as StringLookup.
  explicit TextVectorization(const TextVectorizationOptions& options = {})
      : VocabularyLayer(std::make_shared<TextVectorizationImpl>(options)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_TEXT_VECTORIZATION_H_
