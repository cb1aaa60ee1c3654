#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/base/error.h"
#include "reference/base/json.h"
#include "reference/export/keras/config_reader.h"
#include "reference/export/keras/preprocessing_layers.h"
#include "reference/preprocessing/output_mode.h"
#include "reference/preprocessing/words/category_encoding.h"
#include "reference/preprocessing/words/hashing.h"
#include "reference/preprocessing/words/lookup.h"
#include "reference/preprocessing/words/text_vectorization.h"

namespace lockstep::export_internal {
namespace {

// A larger table could be more than the memory, and a config has no more words.
constexpr int64_t kMostUnknown = 1 << 20;

Error Wrong(const ConfigReader& config, std::string_view key,
            std::string_view wanted) {
  return InvalidArgument("[LoadModel] {} '{}': {} must be {}",
                         config.class_name(), config.name(), key, wanted);
}

bool IsNull(const Json* value) { return value == nullptr || value->is_null(); }

// A word, or an integer; nullopt if it is neither.
template <typename Token>
std::optional<Token> TokenIn(const Json& value) {
  if constexpr (std::is_same_v<Token, std::string>) {
    if (!value.is_string()) return std::nullopt;
    return value.get<std::string>();
  } else {
    return IntegerIn(value);
  }
}

template <typename Token>
std::optional<Token> TokenAt(ConfigReader& config, const std::string& key) {
  const Json* value = config.Find(key);
  if (IsNull(value)) return std::nullopt;
  auto token = TokenIn<Token>(*value);
  if (!token) throw Wrong(config, key, "a value of the vocabulary's type");
  return token;
}

template <typename Token>
std::optional<std::vector<Token>> TokensAt(ConfigReader& config) {
  const Json* value = config.Find("vocabulary");
  if (IsNull(value)) return std::nullopt;
  std::vector<Token> tokens;
  for (const Json& item : value->is_array() ? *value : Json::array({nullptr})) {
    const auto token = TokenIn<Token>(item);
    if (!token) throw Wrong(config, "vocabulary", "a list of its values");
    tokens.push_back(*token);
  }
  return tokens;
}

std::optional<std::vector<double>> WeightsAt(ConfigReader& config) {
  const Json* value = config.Find("idf_weights");
  if (IsNull(value)) return std::nullopt;
  std::vector<double> weights;
  for (const Json& item : value->is_array() ? *value : Json::array({nullptr})) {
    if (!item.is_number()) {
      throw Wrong(config, "idf_weights", "a list of numbers");
    }
    weights.push_back(item.get<double>());
  }
  return weights;
}

std::optional<Salt> SaltAt(ConfigReader& config) {
  const Json* value = config.Find("salt");
  if (IsNull(value)) return std::nullopt;
  if (const auto both = IntegerIn(*value)) return Salt(*both);
  if (value->is_array() && value->size() == 2 && IntegerIn((*value)[0]) &&
      IntegerIn((*value)[1])) {
    return Salt(*IntegerIn((*value)[0]), *IntegerIn((*value)[1]));
  }
  throw Wrong(config, "salt", "an integer or two");
}

OutputMode ModeAt(ConfigReader& config) {
  return ParseOutputMode(config.Text("output_mode", "int"));
}

// The settings that lookups and TextVectorization share.
template <typename Options>
void ReadVocabulary(ConfigReader& config, Options& options) {
  options.max_tokens = config.FindInteger("max_tokens");
  options.output_mode = ModeAt(config);
  options.pad_to_max_tokens = config.Flag("pad_to_max_tokens", false);
  if (options.pad_to_max_tokens && options.max_tokens.value_or(0) > 1 << 28) {
    throw Wrong(config, "max_tokens", "smaller for vectors of so many numbers");
  }
  options.idf_weights = WeightsAt(config);
  const std::optional<int64_t> size = config.FindInteger("vocabulary_size");
  if (!options.vocabulary) options.vocabulary_size = size;
  if (config.Text("encoding", "utf-8") != "utf-8") {
    throw Unimplemented("[LoadModel] '{}': words are UTF-8, got {}",
                        config.name(), config.Text("encoding", ""));
  }
  options.name = config.name();
}

template <typename Token>
Layer MakeLookup(ConfigReader& config) {
  LookupOptions<Token> options;
  options.num_oov_indices = config.FindInteger("num_oov_indices").value_or(1);
  if (options.num_oov_indices > kMostUnknown) {
    throw Wrong(config, "num_oov_indices", "a million at most");
  }
  options.mask_token = TokenAt<Token>(config, "mask_token");
  options.oov_token =
      TokenAt<Token>(config, "oov_token").value_or(options.oov_token);
  options.vocabulary = TokensAt<Token>(config);
  options.invert = config.Flag("invert", false);
  const std::string method = config.Text("oov_method", "floormod");
  if (method != "floormod" && method != "farmhash") {
    throw Wrong(config, "oov_method", "floormod or farmhash");
  }
  options.oov_method =
      method == "farmhash" ? OovMethod::kFarmHash : OovMethod::kFloorMod;
  options.salt = SaltAt(config);
  const bool words = std::is_same_v<Token, std::string>;
  const char* type = words ? "string" : "int64";
  if (config.Text("vocabulary_dtype", type) != type) {
    throw Unimplemented("[LoadModel] '{}': the vocabulary is of {}, got {}",
                        config.name(), type,
                        config.Text("vocabulary_dtype", ""));
  }
  ReadVocabulary(config, options);
  return LookupLayer<Token>(options);
}

Standardize StandardizeAt(ConfigReader& config) {
  if (IsNull(config.Find("standardize"))) return Standardize::kNone;
  const std::string name = config.Text("standardize", "");
  if (name == "lower") return Standardize::kLower;
  if (name == "strip_punctuation") return Standardize::kStripPunctuation;
  if (name == "lower_and_strip_punctuation") {
    return Standardize::kLowerAndStripPunctuation;
  }
  throw Unimplemented("[LoadModel] '{}': there is no standardize '{}'",
                      config.name(), name);
}

SplitAt SplitIn(ConfigReader& config) {
  if (IsNull(config.Find("split"))) return SplitAt::kNothing;
  const std::string name = config.Text("split", "");
  if (name == "whitespace") return SplitAt::kWhitespace;
  if (name == "character") return SplitAt::kCharacter;
  throw Unimplemented("[LoadModel] '{}': there is no split '{}'", config.name(),
                      name);
}

std::optional<Ngrams> NgramsAt(ConfigReader& config) {
  constexpr int64_t kMost = 1000;
  const Json* value = config.Find("ngrams");
  if (IsNull(value)) return std::nullopt;
  std::vector<int64_t> widths;
  for (const Json& item : value->is_array() ? *value : Json::array({*value})) {
    const auto width = IntegerIn(item);
    if (!width || *width > kMost) {
      throw Wrong(config, "ngrams", "up to 1000, or a list of such integers");
    }
    widths.push_back(*width);
  }
  if (value->is_array()) return widths;
  return widths.front();
}

Layer MakeTextVectorization(ConfigReader& config) {
  TextVectorizationOptions options = {
      .standardize = StandardizeAt(config),
      .split = SplitIn(config),
      .ngrams = NgramsAt(config),
      .output_sequence_length = config.FindInteger("output_sequence_length"),
      .vocabulary = TokensAt<std::string>(config)};
  ReadVocabulary(config, options);
  return TextVectorization(options);
}

Layer MakeHashing(ConfigReader& config) {
  HashingOptions options = {.salt = SaltAt(config),
                            .output_mode = ModeAt(config),
                            .name = config.name()};
  const Json* mask = config.Find("mask_value");
  if (!IsNull(mask) && mask->is_string()) {
    options.mask_value = mask->get<std::string>();
  } else if (!IsNull(mask)) {
    const auto number = IntegerIn(*mask);
    if (!number) throw Wrong(config, "mask_value", "a word or an integer");
    options.mask_value = *number;
  }
  return Hashing(config.Integer("num_bins"), options);
}

Layer MakeHashedCrossing(ConfigReader& config) {
  return HashedCrossing(config.Integer("num_bins"),
                        {.output_mode = ModeAt(config), .name = config.name()});
}

Layer MakeCategoryEncoding(ConfigReader& config) {
  const std::string mode = config.Text("output_mode", "multi_hot");
  return CategoryEncoding(
      config.Integer("num_tokens"),
      {.output_mode = ParseOutputMode(mode), .name = config.name()});
}

}  // namespace

void AddWordLayers(LayerRegistry& registry) {
  registry.Add("CategoryEncoding", MakeCategoryEncoding);
  registry.Add("HashedCrossing", MakeHashedCrossing);
  registry.Add("Hashing", MakeHashing);
  registry.Add("IntegerLookup", MakeLookup<int64_t>);
  registry.Add("StringLookup", MakeLookup<std::string>);
  registry.Add("TextVectorization", MakeTextVectorization);
}

}  // namespace lockstep::export_internal
