// Numbers of words, by a vocabulary and rules for words that are not in it.
//
//   const LookupTable table({.mask = ""}, Vocabulary::FromWords({"a", "b"}));
//   table.IdOf("");     // 0, the mask
//   table.IdOf("z");    // 1, unknown
//   table.IdOf("b");    // 3
//   table.WordOf(3);    // "b"
//
// It does not change, so that threads share it. Words are bytes; integers are
// looked up as the bytes of IntegerKey.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LOOKUP_TABLE_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LOOKUP_TABLE_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/preprocessing/output_mode.h"
#include "reference/preprocessing/words/vocabulary/vocabulary.h"

namespace lockstep::words_internal {

// Eight bytes whose order is that of the integers.
class IntegerKey {
 public:
  explicit IntegerKey(int64_t number);
  std::string_view view() const { return {bytes_.data(), bytes_.size()}; }
  static int64_t NumberOf(std::string_view key);

 private:
  std::array<char, 8> bytes_;
};

struct LookupRules {
  std::string layer;  // its name, for messages
  int64_t num_oov_indices = 1;
  std::optional<std::string> mask = std::nullopt;
  std::string oov = "[UNK]";
  OutputMode output_mode = OutputMode::kInt;
  // The length of vectors, instead of the number of ids.
  std::optional<int64_t> padded_depth = std::nullopt;
  // The number of ids of a vocabulary that comes later.
  std::optional<int64_t> expected_size = std::nullopt;
  // The place in 0..num_oov_indices-1 of an unknown word, if there are several.
  std::function<int64_t(std::string_view)> bucket = nullptr;
  // A word for messages.
  std::function<std::string(std::string_view)> shown = nullptr;

  // With a mask, id 0 is its own in kInt; vectors have no entry for it.
  int64_t first_oov() const {
    return mask && output_mode == OutputMode::kInt ? 1 : 0;
  }
  int64_t first_word() const { return first_oov() + num_oov_indices; }
};

class LookupTable {
 public:
  // `weights`, for kTfIdf, has one for each id.
  LookupTable(LookupRules rules, VocabularyPtr words,
              std::vector<float> weights = {})
      : rules_(std::move(rules)),
        words_(std::move(words)),
        weights_(std::move(weights)) {}

  const LookupRules& rules() const { return rules_; }
  const Vocabulary& words() const { return *words_; }
  // The number of ids, those of the mask and of unknown words included.
  int64_t size() const { return rules_.first_word() + words_->size(); }
  int64_t depth() const { return rules_.padded_depth.value_or(size()); }

  // kNoId for the mask in vectors. Errors: InvalidArgument for an unknown word
  // if there is no id for it. REQUIRES: words().CheckUnchanged().
  int64_t IdOf(std::string_view word) const;
  // The mask, the word for unknown words, also for a number that is no id, or
  // the word of the vocabulary.
  std::string_view WordOf(int64_t id) const;

  // As LearnedLookup::MakeStored takes them: for kTfIdf only.
  const std::vector<float>& weights() const { return weights_; }

  // What EncodeIds and EncodeSamples need in addition.
  EncodeOptions encoding() const {
    return {.dtype = DType::kInt64, .category_weights = weights_};
  }

 private:
  int64_t IdOfUnknown(std::string_view word) const;

  LookupRules rules_;
  VocabularyPtr words_;
  std::vector<float> weights_;
};

using LookupTablePtr = std::shared_ptr<const LookupTable>;

}  // namespace lockstep::words_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LOOKUP_TABLE_H_
