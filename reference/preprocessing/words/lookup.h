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
#include <span>
#include <string>
#include <vector>

#include "reference/data/dataset.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"
#include "reference/preprocessing/host_layer.h"
#include "reference/preprocessing/words/learned_lookup.h"
#include "reference/preprocessing/words/lookup_options.h"

namespace lockstep {

template <typename Token>
class LookupImpl : public HostLayer<TensorLayerImpl> {
 public:
  explicit LookupImpl(LookupOptions<Token> options);

  // Count adds the values of data, and Learn makes them the vocabulary: workers
  // that have parts of the data may merge their counts between the two. Errors:
  // see Adapt.
  void Count(const Tensor& batch, words_internal::WordCounts& counts) const;
  words_internal::WordCounts Count(const Dataset& batches) const;
  void Learn(const words_internal::WordCounts& counts);

  void SetVocabulary(const std::vector<Token>& vocabulary,
                     const std::vector<double>& idf_weights);
  std::vector<Token> GetVocabulary(bool include_special_tokens) const;
  int64_t VocabularySize() const { return lookup_.size(); }

  Shape ComputeOutputShape(const Shape& input_shape) const override;
  LayerConfig Config() const override;

 protected:
  // Errors: FailedPrecondition without a vocabulary, or if its file was changed
  // in place; InvalidArgument for an unknown value if num_oov_indices is 0;
  // Unimplemented for inputs of another type.
  Tensor Call(const Tensor& x, bool training) override;

 private:
  Tensor Invert(const Tensor& ids) const;

  const LookupOptions<Token> options_;
  words_internal::LearnedLookup lookup_;
};

// As a layer; see StringLookup and IntegerLookup.
template <typename Token>
class LookupLayer : public Layer {
 public:
  // Errors: InvalidArgument for options that Keras refuses, for a vocabulary of
  // more than max_tokens also if it is in a file; those of a vocabulary in a
  // file, with the file and line.
  explicit LookupLayer(const LookupOptions<Token>& options = {})
      : Layer(std::make_shared<LookupImpl<Token>>(options)) {}

  // Replaces the vocabulary by the values of the data, the most frequent first,
  // and among equals the greatest first. The mask and oov_token are left out.
  // Data without values changes nothing. For kTfIdf, a document is a row of a
  // tensor, or an element of a dataset that has no rows.
  // Errors: FailedPrecondition inside Run, or if its vectors would change their
  // length; Unimplemented for data of another type; InvalidArgument if the layer
  // was made with a vocabulary, and for elements that are no tensors.
  void Adapt(const Dataset& batches) const;
  void Adapt(const Tensor& data) const;

  // Replaces the vocabulary by this one, which may include the special values
  // as GetVocabulary does. Errors: as the constructor's; FailedPrecondition as
  // above.
  void SetVocabulary(const std::vector<Token>& vocabulary,
                     const std::vector<double>& idf_weights = {}) const {
    implementation().SetVocabulary(vocabulary, idf_weights);
  }
  // Value i has id i. Errors: InvalidArgument for a word that is not UTF-8.
  std::vector<Token> GetVocabulary(bool include_special_tokens = true) const {
    return implementation().GetVocabulary(include_special_tokens);
  }
  // The number of ids.
  int64_t VocabularySize() const { return implementation().VocabularySize(); }

  LookupImpl<Token>& implementation() const {
    return static_cast<LookupImpl<Token>&>(impl());
  }
};

// Words.
using StringLookupOptions = LookupOptions<std::string>;
using StringLookup = LookupLayer<std::string>;

// Integers; floating numbers are rounded towards zero.
using IntegerLookupOptions = LookupOptions<int64_t>;
using IntegerLookup = LookupLayer<int64_t>;

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LOOKUP_H_
