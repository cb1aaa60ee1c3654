// What files of models hold of a layer with a vocabulary.
//
//   if (auto* stored = dynamic_cast<const StoredVocabulary*>(&layer.impl())) {
//     const VocabularyContent content = stored->Content();
//     content.words;                          // {"[UNK]", "b", "a"}
//     const auto set = stored->Prepare(content);   // throws if it does not fit
//     set();                                       // does not
//   }
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_STORED_VOCABULARY_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_STORED_VOCABULARY_H_

#include <functional>
#include <string>
#include <vector>

namespace lockstep {

struct VocabularyContent {
  // Of all ids in order, those of the mask and of unknown words included.
  // Integers are decimal.
  std::vector<std::string> words;
  // For OutputMode::kTfIdf only: an entry for each of them, then zeros that pad
  // vectors.
  std::vector<float> weights = {};
};

class StoredVocabulary {
 public:
  virtual ~StoredVocabulary() = default;

  // Whether the layer's Config has the words, because it was made with a list.
  virtual bool in_config() const = 0;
  virtual bool has_weights() const = 0;
  // Errors: FailedPrecondition without a vocabulary; InvalidArgument for words
  // that are not UTF-8.
  virtual VocabularyContent Content() const = 0;
  // Checks a content and returns what makes it the layer's. Errors:
  // InvalidArgument for another number of words than the layer was made for,
  // too many, words that are there twice, no integers, or other words than the
  // layer's own for the mask and unknown words, and for weights that do not
  // fit; FailedPrecondition if vectors would change their length.
  // REQUIRES: the layer outlives the result.
  virtual std::function<void()> Prepare(
      const VocabularyContent& content) const = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_STORED_VOCABULARY_H_
