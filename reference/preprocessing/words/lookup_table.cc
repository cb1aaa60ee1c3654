#include "reference/preprocessing/words/lookup_table.h"

#include "reference/base/error.h"

namespace lockstep::words_internal {
namespace {

constexpr uint64_t kSign = uint64_t{1} << 63;

}  // namespace

IntegerKey::IntegerKey(int64_t number) {
  uint64_t bits = static_cast<uint64_t>(number) ^ kSign;
  for (size_t i = bytes_.size(); i-- > 0; bits >>= 8) {
    bytes_[i] = static_cast<char>(bits & 0xFF);
  }
}

int64_t IntegerKey::NumberOf(std::string_view key) {
  uint64_t bits = 0;
  for (const char byte : key) bits = bits << 8 | static_cast<uint8_t>(byte);
  return static_cast<int64_t>(bits ^ kSign);
}

int64_t LookupTable::IdOf(std::string_view word) const {
  if (rules_.mask && word == *rules_.mask) {
    return rules_.output_mode == OutputMode::kInt ? 0 : kNoId;
  }
  const int64_t position = words_->Find(word);
  return position == kNoWord ? IdOfUnknown(word)
                             : rules_.first_word() + position;
}

int64_t LookupTable::IdOfUnknown(std::string_view word) const {
  if (rules_.num_oov_indices == 0) {
    throw InvalidArgument(
        "[{}] {} is not in the vocabulary; set num_oov_indices to 1 to number "
        "unknown values",
        rules_.layer, rules_.shown(word));
  }
  if (rules_.num_oov_indices == 1) return rules_.first_oov();
  return rules_.first_oov() + rules_.bucket(word);
}

std::string_view LookupTable::WordOf(int64_t id) const {
  if (id == 0 && rules_.first_oov() == 1) return *rules_.mask;
  const int64_t first = rules_.first_word();
  if (id < first || id - first >= words_->size()) return rules_.oov;
  return words_->word(id - first);
}

}  // namespace lockstep::words_internal
