#include "reference/preprocessing/words/lookup_rules.h"

#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "reference/autodiff/distribution_context.h"
#include "reference/base/error.h"
#include "reference/preprocessing/words/vocabulary/utf8.h"

namespace lockstep::words_internal {
namespace {

template <typename Token>
constexpr bool kIsWord = std::is_same_v<Token, std::string>;

std::string KeyOf(const std::string& word) { return word; }
std::string KeyOf(int64_t number) {
  return std::string(IntegerKey(number).view());
}

template <typename Token>
std::string Shown(std::string_view key) {
  if constexpr (kIsWord<Token>) {
    return "'" + std::string(key) + "'";
  } else {
    return std::to_string(IntegerKey::NumberOf(key));
  }
}

// The place of an unknown value among the ids for them.
template <typename Token>
auto MakeBucket(const LookupOptions<Token>& options) {
  return [hash = WordHash(options.salt), count = options.num_oov_indices,
          hashed = options.oov_method ==
                   OovMethod::kFarmHash](std::string_view key) -> int64_t {
    if constexpr (kIsWord<Token>) {
      return hash.Bin(key, count);
    } else {
      const int64_t number = IntegerKey::NumberOf(key);
      if (hashed) return hash.Bin(DecimalText(number).view(), count);
      return (number % count + count) % count;
    }
  };
}

template <typename Token>
void CheckSizes(const std::string& layer, const LookupOptions<Token>& options) {
  if (options.max_tokens && *options.max_tokens <= 1) {
    throw InvalidArgument("[{}] max_tokens must be greater than 1, got {}",
                          layer, *options.max_tokens);
  }
  if (options.num_oov_indices < 0) {
    throw InvalidArgument("[{}] num_oov_indices must not be negative, got {}",
                          layer, options.num_oov_indices);
  }
  if (options.pad_to_max_tokens && !options.max_tokens) {
    throw InvalidArgument("[{}] pad_to_max_tokens needs max_tokens", layer);
  }
}

template <typename Token>
void CheckCombination(const std::string& layer,
                      const LookupOptions<Token>& options) {
  const std::string_view mode = OutputModeName(options.output_mode);
  if (options.invert && options.output_mode != OutputMode::kInt) {
    throw InvalidArgument("[{}] invert needs output mode int, got {}", layer,
                          mode);
  }
  if (options.idf_weights && options.output_mode != OutputMode::kTfIdf) {
    throw InvalidArgument(
        "[{}] only output mode tf_idf has idf_weights, got "
        "{}",
        layer, mode);
  }
  if (options.idf_weights && !options.vocabulary) {
    throw InvalidArgument("[{}] idf_weights need a vocabulary", layer);
  }
  if (options.vocabulary && !options.vocabulary_file.empty()) {
    throw InvalidArgument("[{}] got a vocabulary and also the file {}", layer,
                          options.vocabulary_file);
  }
  if (!kIsWord<Token> && options.salt &&
      options.oov_method != OovMethod::kFarmHash) {
    throw InvalidArgument("[{}] salt needs oov_method kFarmHash", layer);
  }
}

// The integer that a text is, in decimal.
std::optional<int64_t> FindNumber(std::string_view text) {
  int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

// The integers of a file, as keys.
VocabularyPtr ParseNumbers(const Vocabulary& lines) {
  std::string keys;
  for (int64_t i = 0; i < lines.size(); ++i) {
    const std::optional<int64_t> number = FindNumber(lines.word(i));
    if (!number) {
      throw InvalidArgument("[Vocabulary] {}: '{}' is not an integer",
                            lines.PlaceOf(i), lines.Text(i));
    }
    keys += IntegerKey(*number).view();
  }
  std::vector<std::string_view> words;
  for (size_t i = 0; i < keys.size(); i += 8) {
    words.push_back(std::string_view(keys).substr(i, 8));
  }
  return Vocabulary::FromWords(words);
}

}  // namespace

template <typename Token>
LookupRules MakeRules(const std::string& layer,
                      const LookupOptions<Token>& options) {
  CheckSizes(layer, options);
  CheckCombination(layer, options);
  LookupRules rules = {.layer = layer,
                       .num_oov_indices = options.num_oov_indices,
                       .oov = KeyOf(options.oov_token),
                       .output_mode = options.output_mode,
                       .bucket = MakeBucket(options),
                       .shown = Shown<Token>};
  if (options.mask_token) rules.mask = KeyOf(*options.mask_token);
  if (options.pad_to_max_tokens) rules.padded_depth = options.max_tokens;
  rules.expected_size = options.vocabulary_size;
  const int64_t fewest = rules.first_word();
  if (options.vocabulary_size && *options.vocabulary_size < fewest) {
    throw InvalidArgument(
        "[{}] vocabulary_size must be {} or more, for the mask and unknown "
        "values, got {}",
        layer, fewest, *options.vocabulary_size);
  }
  return rules;
}

template <typename Token>
void SetTokens(std::span<const Token> tokens, std::span<const double> weights,
               LearnedLookup& lookup) {
  std::vector<std::string> keys;
  for (const Token& token : tokens) keys.push_back(KeyOf(token));
  const std::vector<std::string_view> words(keys.begin(), keys.end());
  lookup.SetWords(words, weights);
}

template <typename Token>
void SetInitial(const LookupOptions<Token>& options, LearnedLookup& lookup) {
  if (options.vocabulary) {
    const std::vector<double> none;
    SetTokens<Token>(*options.vocabulary,
                     options.idf_weights ? *options.idf_weights : none, lookup);
  } else if (!options.vocabulary_file.empty()) {
    VocabularyPtr lines = Vocabulary::FromFile(options.vocabulary_file);
    lookup.SetVocabulary(kIsWord<Token> ? lines : ParseNumbers(*lines));
  }
}

template <typename Token>
std::vector<Token> ListTokens(const LookupOptions<Token>& options,
                              const LearnedLookup& lookup,
                              bool include_special_tokens) {
  std::vector<Token> tokens;
  if (include_special_tokens) {
    if (lookup.rules().first_oov() == 1) tokens.push_back(*options.mask_token);
    tokens.resize(static_cast<size_t>(lookup.rules().first_word()),
                  options.oov_token);
  }
  if (lookup.FindTable() == nullptr) return tokens;
  const LookupTablePtr table = lookup.table();
  const Vocabulary& words = table->words();
  for (int64_t i = 0; i < words.size(); ++i) {
    if constexpr (kIsWord<Token>) {
      tokens.push_back(words.Text(i));
    } else {
      tokens.push_back(IntegerKey::NumberOf(words.word(i)));
    }
  }
  return tokens;
}

template <typename Token>
VocabularyContent ContentOf(const LookupOptions<Token>& options,
                            const LearnedLookup& lookup) {
  const LookupTablePtr table = lookup.table();  // throws if there is none
  VocabularyContent content = {.words = {}, .weights = table->weights()};
  for (const Token& token : ListTokens(options, lookup, true)) {
    if constexpr (kIsWord<Token>) {
      content.words.push_back(token);
    } else {
      content.words.emplace_back(DecimalText(token).view());
    }
  }
  return content;
}

template <typename Token>
LookupTablePtr TableOf(const VocabularyContent& content,
                       const LearnedLookup& lookup) {
  std::vector<std::string> keys;
  for (const std::string& word : content.words) {
    if constexpr (kIsWord<Token>) {
      keys.push_back(word);
    } else {
      const std::optional<int64_t> number = FindNumber(word);
      if (!number) {
        throw InvalidArgument("[{}] word {}: '{}' is not an integer",
                              lookup.rules().layer, keys.size(),
                              IsUtf8(word) ? word : "...");
      }
      keys.push_back(KeyOf(*number));
    }
  }
  const std::vector<std::string_view> words(keys.begin(), keys.end());
  return lookup.MakeStored(words, content.weights);
}

namespace {

Tensor HostVector(const auto& values) {
  return Tensor::FromVector(values, Shape{std::ssize(values)}, Device::Host());
}

}  // namespace

template <typename Token>
Tensor WordsTensor(const LearnedLookup& lookup) {
  const LookupTablePtr table = lookup.FindTable();
  if (table == nullptr) return HostVector(std::vector<Token>());
  table->words().CheckUnchanged();
  std::vector<Token> words;
  for (int64_t id = 0; id < table->size(); ++id) {
    const std::string_view key = table->WordOf(id);
    if constexpr (kIsWord<Token>) {
      words.emplace_back(key);
    } else {
      words.push_back(IntegerKey::NumberOf(key));
    }
  }
  return HostVector(words);
}

Tensor WeightsTensor(const LearnedLookup& lookup) {
  const LookupTablePtr table = lookup.FindTable();
  return HostVector(table == nullptr ? std::vector<float>() : table->weights());
}

template <typename Token>
LookupTablePtr TableOfTensors(const std::map<std::string, Tensor>& stored,
                              const LearnedLookup& lookup) {
  const auto words = stored.find(kWordsAttribute);
  const auto weights = stored.find(kWeightsAttribute);
  if (words == stored.end()) {
    throw InvalidArgument("[{}] there are weights without words",
                          lookup.rules().layer);
  }
  std::vector<std::string> keys;
  for (const Token& token : words->second.template span<Token>()) {
    keys.push_back(KeyOf(token));
  }
  if (keys.empty()) return nullptr;
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  return lookup.MakeStored(views, weights == stored.end()
                                      ? std::span<const float>()
                                      : weights->second.span<float>());
}

template <typename Token>
Json GivenVocabulary(const LookupOptions<Token>& options) {
  Json config = {{"idf_weights", nullptr}, {"vocabulary", nullptr}};
  if (options.idf_weights) config["idf_weights"] = *options.idf_weights;
  if (!options.vocabulary) return config;
  if constexpr (kIsWord<Token>) {
    for (const std::string& word : *options.vocabulary) {
      if (IsUtf8(word)) continue;
      throw InvalidArgument(
          "[Config] a vocabulary that is not UTF-8 cannot be "
          "stored");
    }
  }
  config["vocabulary"] = *options.vocabulary;
  return config;
}

template <typename Token>
void CheckMayAdapt(const std::string& layer,
                   const LookupOptions<Token>& options) {
  DistributionContext::Current().CheckOutsideRun(
      "Adapt", "call it before Run, for all replicas");
  if (!options.vocabulary && options.vocabulary_file.empty()) return;
  throw InvalidArgument(
      "[{}] it was made with a vocabulary, which Adapt would replace; make the "
      "layer without one",
      layer);
}

const Tensor& OnlyTensor(const std::string& layer, const Structure& element) {
  if (element.is_leaf()) return element.leaf();
  throw InvalidArgument(
      "[{}] Adapt needs a dataset of tensors, got elements of {} parts; map "
      "them to one",
      layer, element.size());
}

#define LOCKSTEP_INSTANTIATE(Token)                                        \
  template LookupRules MakeRules(const std::string&,                       \
                                 const LookupOptions<Token>&);             \
  template void SetInitial(const LookupOptions<Token>&, LearnedLookup&);   \
  template void SetTokens(std::span<const Token>, std::span<const double>, \
                          LearnedLookup&);                                 \
  template std::vector<Token> ListTokens(const LookupOptions<Token>&,      \
                                         const LearnedLookup&, bool);      \
  template VocabularyContent ContentOf(const LookupOptions<Token>&,        \
                                       const LearnedLookup&);              \
  template LookupTablePtr TableOf<Token>(const VocabularyContent&,         \
                                         const LearnedLookup&);            \
  template Tensor WordsTensor<Token>(const LearnedLookup&);                \
  template LookupTablePtr TableOfTensors<Token>(                           \
      const std::map<std::string, Tensor>&, const LearnedLookup&);         \
  template Json GivenVocabulary(const LookupOptions<Token>&);              \
  template void CheckMayAdapt(const std::string&, const LookupOptions<Token>&);
LOCKSTEP_INSTANTIATE(std::string)
LOCKSTEP_INSTANTIATE(int64_t)
#undef LOCKSTEP_INSTANTIATE

}  // namespace lockstep::words_internal
