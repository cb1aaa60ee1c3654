// Options of layers with a vocabulary (words/lookup.h, words/
// text_vectorization.h), with the names and defaults of Keras.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LOOKUP_OPTIONS_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LOOKUP_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "reference/preprocessing/output_mode.h"
#include "reference/preprocessing/words/word_hash.h"

namespace lockstep {

// The place of an unknown integer among several: its remainder, or the hash of
// its decimal text. Words are always hashed.
enum class OovMethod { kFloorMod, kFarmHash };

namespace words_internal {

template <typename Token>
Token DefaultOov() {
  if constexpr (std::is_same_v<Token, std::string>) {
    return "[UNK]";
  } else {
    return -1;
  }
}

}  // namespace words_internal

// `Token` is std::string or int64_t.
template <typename Token>
struct LookupOptions {
  // Most ids, those of the mask and of unknown values included; more than 1.
  std::optional<int64_t> max_tokens = std::nullopt;
  int64_t num_oov_indices = 1;  // ids for unknown values; 0: they are errors
  std::optional<Token> mask_token = std::nullopt;  // has id 0
  Token oov_token = words_internal::DefaultOov<Token>();
  // A list, or the name of a file with one value in each line. Without either
  // the layer learns it: Adapt.
  std::optional<std::vector<Token>> vocabulary = std::nullopt;
  std::string vocabulary_file = "";
  std::optional<std::vector<double>> idf_weights = std::nullopt;
  bool invert = false;  // from ids to values
  OutputMode output_mode = OutputMode::kInt;
  // Makes vectors of max_tokens entries.
  bool pad_to_max_tokens = false;
  OovMethod oov_method = OovMethod::kFloorMod;
  std::optional<Salt> salt = std::nullopt;  // for hashes of unknown values
  // The number of ids of a vocabulary that comes later, from a file of a model.
  std::optional<int64_t> vocabulary_size = std::nullopt;
  std::string name = "";
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_LOOKUP_OPTIONS_H_
