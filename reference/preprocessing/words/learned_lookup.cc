#include "reference/preprocessing/words/learned_lookup.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "reference/base/error.h"

namespace lockstep::words_internal {
namespace {

void CheckWeights(const LookupRules& rules, size_t words, size_t weights) {
  const bool wanted = rules.output_mode == OutputMode::kTfIdf;
  if (weights == (wanted ? words : 0)) return;
  throw InvalidArgument("[{}] output mode {} needs {} idf_weights, got {}",
                        rules.layer, OutputModeName(rules.output_mode),
                        wanted ? words : 0, weights);
}

}  // namespace

LookupTablePtr LearnedLookup::FindTable() const {
  std::lock_guard lock(mutex_);
  return table_;
}

void LearnedLookup::VisitState(
    const preprocessing_internal::StateVisitor& visit) const {
  const LookupTablePtr table = FindTable();
  if (table == nullptr) return visit("no vocabulary");
  const Vocabulary& words = table->words();
  words.CheckUnchanged();
  for (int64_t i = 0; i < words.size(); ++i) {
    visit(fmt::format("word {} is {}", i, rules_.shown(words.word(i))));
  }
  const std::span<const float> weights = table->encoding().category_weights;
  for (size_t id = 0; id < weights.size(); ++id) {
    visit(fmt::format("the weight of id {} is {}", id, weights[id]));
  }
}

LookupTablePtr LearnedLookup::table() const {
  agreed_.CheckInRun(rules_.layer,
                     [this](const auto& visit) { VisitState(visit); });
  LookupTablePtr table = FindTable();
  if (table == nullptr) {
    throw FailedPrecondition(
        "[{}] it has no vocabulary; give it one, or call Adapt with data",
        rules_.layer);
  }
  table->words().CheckUnchanged();
  return table;
}

int64_t LearnedLookup::size() const {
  const LookupTablePtr table = FindTable();
  return table == nullptr ? rules_.first_word() : table->size();
}

int64_t LearnedLookup::depth() const {
  const LookupTablePtr table = FindTable();
  if (table != nullptr) return table->depth();
  if (rules_.padded_depth) return *rules_.padded_depth;
  return rules_.expected_size.value_or(kUnknownDim);
}

LookupTablePtr LearnedLookup::MakeTable(VocabularyPtr words,
                                        std::vector<float> weights) const {
  auto table = std::make_shared<const LookupTable>(rules_, std::move(words),
                                                   std::move(weights));
  if (max_tokens_ && table->size() > *max_tokens_) {
    throw InvalidArgument(
        "[{}] max_tokens is {}, and the vocabulary with the mask and unknown "
        "values needs {}",
        rules_.layer, *max_tokens_, table->size());
  }
  const int64_t before = depth();
  if (rules_.output_mode != OutputMode::kInt && before != kUnknownDim &&
      before != table->depth()) {
    throw FailedPrecondition(
        "[{}] its vectors have {} entries and would get {}; make a new layer, "
        "or set pad_to_max_tokens",
        rules_.layer, before, table->depth());
  }
  return table;
}

void LearnedLookup::Adopt(LookupTablePtr table) {
  std::lock_guard lock(mutex_);
  table_ = std::move(table);
  agreed_.Changed();
}

bool LearnedLookup::BeginsWithSpecial(
    std::span<const std::string_view> words) const {
  const int64_t first = rules_.first_word();
  if (std::ssize(words) < first) return false;
  for (int64_t id = 0; id < first; ++id) {
    const bool is_mask = id < rules_.first_oov();
    const std::string& special = is_mask ? *rules_.mask : rules_.oov;
    if (words[static_cast<size_t>(id)] != special) return false;
  }
  return true;
}

VocabularyPtr LearnedLookup::WithoutSpecial(
    std::span<const std::string_view> words) const {
  const bool special = BeginsWithSpecial(words);
  VocabularyPtr vocabulary = Vocabulary::FromWords(
      words.subspan(special ? static_cast<size_t>(rules_.first_word()) : 0));
  if (rules_.mask && vocabulary->Find(*rules_.mask) != kNoWord) {
    throw InvalidArgument(
        "[{}] the mask {} is in the vocabulary, where it may only be the first "
        "value, before {} for unknown values",
        rules_.layer, rules_.shown(*rules_.mask), rules_.num_oov_indices);
  }
  return vocabulary;
}

LookupTablePtr LearnedLookup::MakeStored(
    std::span<const std::string_view> words,
    std::span<const float> weights) const {
  const std::optional<int64_t> expected = rules_.expected_size;
  if (expected && FindTable() == nullptr && std::ssize(words) != *expected) {
    throw InvalidArgument("[{}] wants a vocabulary of {} words, got {}",
                          rules_.layer, *expected, words.size());
  }
  if (!BeginsWithSpecial(words)) {
    throw InvalidArgument(
        "[{}] a stored vocabulary begins with {} words for the mask and "
        "unknown "
        "words, which this one does not",
        rules_.layer, rules_.first_word());
  }
  const bool weighted = rules_.output_mode == OutputMode::kTfIdf;
  LookupTablePtr table =
      MakeTable(WithoutSpecial(words), {weights.begin(), weights.end()});
  if (std::ssize(weights) == (weighted ? table->depth() : 0)) return table;
  throw InvalidArgument("[{}] wants {} idf_weights, got {}", rules_.layer,
                        weighted ? table->depth() : 0, weights.size());
}

// `front` ids, which have no weight, get the mean; what pads vectors gets zero.
std::vector<float> LearnedLookup::PadWeights(std::span<const double> weights,
                                             int64_t front) const {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double mean = sum / static_cast<double>(weights.size());
  std::vector<float> padded(static_cast<size_t>(front),
                            static_cast<float>(mean));
  padded.insert(padded.end(), weights.begin(), weights.end());
  const int64_t depth = rules_.padded_depth.value_or(0);
  padded.resize(std::max(padded.size(), static_cast<size_t>(depth)));
  return padded;
}

void LearnedLookup::SetWords(std::span<const std::string_view> words,
                             std::span<const double> weights) {
  if (words.empty()) {
    throw InvalidArgument("[{}] a vocabulary needs words, got none",
                          rules_.layer);
  }
  CheckWeights(rules_, words.size(), weights.size());
  VocabularyPtr vocabulary = WithoutSpecial(words);
  std::vector<float> padded;
  if (!weights.empty()) {
    padded =
        PadWeights(weights, BeginsWithSpecial(words) ? 0 : rules_.first_word());
  }
  Adopt(MakeTable(std::move(vocabulary), std::move(padded)));
}

void LearnedLookup::SetVocabulary(VocabularyPtr words) {
  if (rules_.output_mode == OutputMode::kTfIdf) {
    throw InvalidArgument(
        "[{}] output mode tf_idf needs a list of words with their weights, not "
        "a file",
        rules_.layer);
  }
  Adopt(MakeTable(std::move(words), {}));
}

void LearnedLookup::Learn(const WordCounts& counts) {
  if (counts.size() == 0) return;
  std::vector<std::string_view> special = {rules_.oov};
  if (rules_.mask) special.push_back(*rules_.mask);
  const int64_t limit = max_tokens_ ? *max_tokens_ - rules_.first_word()
                                    : std::numeric_limits<int64_t>::max();
  const std::vector<WordCount> learned = counts.MostFrequent(limit, special);
  std::vector<std::string_view> words;
  std::vector<double> weights;
  for (const WordCount& word : learned) {
    words.push_back(word.word);
    weights.push_back(
        std::log(1 + static_cast<double>(counts.documents()) /
                         static_cast<double>(1 + word.documents)));
  }
  std::vector<float> padded;
  if (rules_.output_mode == OutputMode::kTfIdf) {
    padded = PadWeights(weights, rules_.first_word());
  }
  Adopt(MakeTable(Vocabulary::FromWords(words), std::move(padded)));
}

}  // namespace lockstep::words_internal
