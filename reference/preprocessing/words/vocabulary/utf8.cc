#include "reference/preprocessing/words/vocabulary/utf8.h"

#include <cstdint>

namespace lockstep::words_internal {
namespace {

// What may follow the first byte: how many bytes, and the range of the first of
// them. The others are in 80..BF.
struct Continuation {
  size_t bytes;
  uint8_t lowest = 0x80;
  uint8_t highest = 0xBF;
};

// For a first byte that starts no character, no bytes.
Continuation ContinuationOf(uint8_t first) {
  if (first < 0xC2 || first > 0xF4) return {0};
  if (first < 0xE0) return {1};
  switch (first) {
    case 0xE0:
      return {2, 0xA0};  // shorter encodings exist below
    case 0xED:
      return {2, 0x80, 0x9F};  // surrogates are above
    case 0xF0:
      return {3, 0x90};
    case 0xF4:
      return {3, 0x80, 0x8F};  // U+10FFFF is the last one
    default:
      return {first < 0xF0 ? size_t{2} : size_t{3}};
  }
}

}  // namespace

Utf8Character FirstCharacter(std::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x80) return {1, true};
  Continuation rest = ContinuationOf(first);
  if (rest.bytes == 0) return {1, false};
  const size_t length = rest.bytes + 1;
  for (size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {i, false};
    const auto byte = static_cast<uint8_t>(text[i]);
    if (byte < rest.lowest || byte > rest.highest) return {i, false};
    rest.lowest = 0x80;
    rest.highest = 0xBF;
  }
  return {length, true};
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character character = FirstCharacter(text);
    if (!character.valid) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

}  // namespace lockstep::words_internal
