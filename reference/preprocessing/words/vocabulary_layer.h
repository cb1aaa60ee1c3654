// What the layers with a vocabulary share: it is given, or learned from data
// (words/lookup.h, words/text_vectorization.h).
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_LAYER_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_LAYER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/autodiff/joint_values.h"
#include "reference/autodiff/trackable.h"
#include "reference/data/dataset.h"
#include "reference/layers/layer.h"
#include "reference/layers/layer_impl.h"
#include "reference/preprocessing/adaptation.h"
#include "reference/preprocessing/host_layer.h"
#include "reference/preprocessing/words/counted_parts.h"
#include "reference/preprocessing/words/learned_lookup.h"
#include "reference/preprocessing/words/lookup_options.h"
#include "reference/preprocessing/words/lookup_rules.h"
#include "reference/preprocessing/words/stored_vocabulary.h"

namespace lockstep {

// `Token` is std::string or int64_t.
template <typename Token>
class VocabularyLayerImpl : public HostLayer<TensorLayerImpl>,
                            public StoredVocabulary,
                            public JointValues {
 public:
  // In checkpoints: the words of all ids, and the weights of kTfIdf, unless the
  // layer was made with a list. None before there is a vocabulary.
  std::vector<Trackable::Value> values() override;
  JointValues* joint_values() override { return this; }
  // Errors: those of StoredVocabulary::Prepare.
  std::function<void()> PrepareRestore(
      const std::map<std::string, Tensor>& stored) override {
    auto table = words_internal::TableOfTensors<Token>(stored, lookup_);
    return [this, table = std::move(table)] { lookup_.Adopt(table); };
  }

  bool in_config() const override {
    return lookup_options_.vocabulary.has_value();
  }
  bool has_weights() const override {
    return lookup_options_.output_mode == OutputMode::kTfIdf;
  }
  VocabularyContent Content() const override {
    return words_internal::ContentOf(lookup_options_, lookup_);
  }
  std::function<void()> Prepare(
      const VocabularyContent& content) const override {
    return [this, table = words_internal::TableOf<Token>(content, lookup_)] {
      lookup_.Adopt(table);
    };
  }

  // Count adds the values of data, and Learn makes them the vocabulary: a
  // program that has its data in parts may merge counts between the two. Errors:
  // see VocabularyLayer::Adapt.
  virtual void Count(const Tensor& batch,
                     words_internal::WordCounts& counts) const = 0;
  words_internal::WordCounts Count(const Dataset& batches) const {
    words_internal::CheckMayAdapt(name(), lookup_options_);
    preprocessing_internal::CheckEnds(name(), batches);
    words_internal::WordCounts counts;
    for (const Structure& batch : batches) {
      Count(words_internal::OnlyTensor(name(), batch), counts);
    }
    return counts;
  }
  void Learn(const words_internal::WordCounts& counts) {
    words_internal::CheckMayAdapt(name(), lookup_options_);
    lookup_.Learn(counts);
  }

  // As VocabularyLayer::Adapt.
  void Adapt(const Dataset& batches) {
    Learn(words_internal::CountParts(
        name(), batches, [this](const Dataset& part) { return Count(part); }));
  }
  void Adapt(const Tensor& data) {
    // Each value of a list is a document.
    const bool list = data.rank() == 1;
    const Tensor rows = list ? data.Reshape({data.dim(0), 1}) : data;
    Learn(words_internal::CountSame(name(), [&] {
      words_internal::CheckMayAdapt(name(), lookup_options_);
      words_internal::WordCounts counts;
      Count(rows, counts);
      return counts;
    }));
  }

  void SetVocabulary(const std::vector<Token>& vocabulary,
                     const std::vector<double>& idf_weights) {
    words_internal::SetTokens<Token>(vocabulary, idf_weights, lookup_);
  }
  std::vector<Token> GetVocabulary(bool include_special_tokens) const {
    return words_internal::ListTokens(lookup_options_, lookup_,
                                      include_special_tokens);
  }
  int64_t VocabularySize() const { return lookup_.size(); }

 protected:
  // `keras_name` is the default name.
  VocabularyLayerImpl(const char* keras_name, LookupOptions<Token> options)
      : HostLayer(keras_name, options.name),
        lookup_options_(std::move(options)),
        lookup_(words_internal::MakeRules(name(), lookup_options_),
                lookup_options_.max_tokens) {}

  // Takes the vocabulary of the options, if they have one; for constructors.
  void SetInitialVocabulary() {
    words_internal::SetInitial(lookup_options_, lookup_);
  }

  const LookupOptions<Token>& lookup_options() const { return lookup_options_; }
  const words_internal::LearnedLookup& lookup() const { return lookup_; }

 private:
  const LookupOptions<Token> lookup_options_;
  // Like a variable, it changes while the layer stays the same.
  mutable words_internal::LearnedLookup lookup_;
};

template <typename Token>
std::vector<Trackable::Value> VocabularyLayerImpl<Token>::values() {
  if (in_config()) return {};
  const words_internal::LookupTablePtr table = lookup_.FindTable();
  const bool fixed = lookup_options_.output_mode != OutputMode::kInt &&
                     !lookup_options_.pad_to_max_tokens && table != nullptr;
  const auto value = [&](const char* attribute, DType dtype, int64_t length,
                         auto save) {
    return Trackable::Value{
        .attribute = attribute,
        .full_name = name() + "/" + attribute,
        .spec = {.shape = {fixed ? length : kUnknownDim}, .dtype = dtype},
        .save = save,
        .restore = [this, attribute](const Tensor& stored) {
          PrepareRestore({{attribute, stored}})();
        }};
  };
  std::vector<Trackable::Value> all = {
      value(words_internal::kWordsAttribute, kDTypeOf<Token>,
            fixed ? table->size() : 0,
            [this] { return words_internal::WordsTensor<Token>(lookup_); })};
  if (has_weights()) {
    all.push_back(value(words_internal::kWeightsAttribute, DType::kFloat32,
                        fixed ? std::ssize(table->weights()) : 0, [this] {
                          return words_internal::WeightsTensor(lookup_);
                        }));
  }
  return all;
}

// The handle of such a layer.
template <typename Token>
class VocabularyLayer : public Layer {
 public:
  // Replaces the vocabulary by the values of the data, the most frequent first,
  // and among equals the greatest first. The mask and oov_token are left out.
  // Data without values changes nothing. For kTfIdf, a document is a row of a
  // tensor, or an element of a dataset that has no rows.
  //
  // In the scope of a strategy over several workers all of them call it, read
  // the dataset once between them, and get the same vocabulary
  // (preprocessing/adaptation.h); a tensor must be the same on all.
  //
  // Errors, on all workers: FailedPrecondition inside Run, if its vectors would
  // change their length, and if workers have different data; Unimplemented for
  // data of another type; InvalidArgument if the layer was made with a
  // vocabulary, for elements that are no tensors and for an endless dataset.
  void Adapt(const Dataset& batches) const { implementation().Adapt(batches); }
  void Adapt(const Tensor& data) const { implementation().Adapt(data); }

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

  VocabularyLayerImpl<Token>& implementation() const {
    return static_cast<VocabularyLayerImpl<Token>&>(impl());
  }

 protected:
  explicit VocabularyLayer(std::shared_ptr<VocabularyLayerImpl<Token>> impl)
      : Layer(std::move(impl)) {}
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_LAYER_H_
