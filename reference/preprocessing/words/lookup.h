// Layers that number words or integers by a vocabulary.
//
//   StringLookup lookup({.vocabulary = {{"a", "b"}}});
//   lookup(words);              // ["b", "z", "a"] -> [2, 0, 1]; 0 is unknown
//
//   StringLookup learned({.max_tokens = 10000});
//   learned.Adapt(dataset);     // the most frequent words, at most 9999
//   learned.GetVocabulary();    // {"[UNK]", "the", ...}
//
//   IntegerLookup({.vocabulary = {{12, 36}}, .mask_token = 0});
//
// All threads share one table, which Adapt replaces. A vocabulary in a file is
// mapped, not copied (vocabulary/vocabulary.h). In output modes other than kInt
// results are vectors: int64, and float32 for kTfIdf.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LOOKUP_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LOOKUP_H_

#include <cstdint>
#include <memory>
#include <string>

#include "reference/preprocessing/words/lookup_options.h"
#include "reference/preprocessing/words/vocabulary_layer.h"

namespace lockstep {

template <typename Token>
class LookupImpl : public VocabularyLayerImpl<Token> {
 public:
  explicit LookupImpl(LookupOptions<Token> options);

  using VocabularyLayerImpl<Token>::Count;
  void Count(const Tensor& batch,
             words_internal::WordCounts& counts) const override;

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  // Errors: FailedPrecondition without a vocabulary, or if its file was changed
  // in place; InvalidArgument for an unknown value if num_oov_indices is 0;
  // Unimplemented for inputs of another type.
  Tensor Call(const Tensor& x, bool training) override;

 private:
  Tensor Invert(const Tensor& ids) const;
};

// As a layer; see StringLookup and IntegerLookup.
template <typename Token>
class LookupLayer : public VocabularyLayer<Token> {
 public:
  // Errors: InvalidArgument for options that Keras refuses, for a vocabulary of
  // more than max_tokens also if it is in a file; those of a vocabulary in a
  // file, with the file and line.
  explicit LookupLayer(const LookupOptions<Token>& options = {})
      : VocabularyLayer<Token>(std::make_shared<LookupImpl<Token>>(options)) {}
};

// Words.
using StringLookupOptions = LookupOptions<std::string>;
using StringLookup = LookupLayer<std::string>;

// Integers; floating numbers are rounded towards zero.
using IntegerLookupOptions = LookupOptions<int64_t>;
using IntegerLookup = LookupLayer<int64_t>;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LOOKUP_H_
