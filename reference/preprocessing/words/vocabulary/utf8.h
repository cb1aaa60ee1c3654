// The characters of UTF-8 text, also of bytes that are not UTF-8.
//
//   FirstCharacter("\xc3\xa9t");   // {2, true}: é
//   FirstCharacter("\xe3\x81z");   // {2, false}: two bytes of three
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_UTF8_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_UTF8_H_

#include <cstddef>
#include <string_view>

namespace lockstep::words_internal {

struct Utf8Character {
  size_t bytes;
  bool valid;
};

// What is replaced as one invalid character is the longest start of a valid one
// or else one byte, as the Unicode standard recommends and ICU does.
// REQUIRES: text is not empty.
Utf8Character FirstCharacter(std::string_view text);

bool IsUtf8(std::string_view text);

}  // namespace lockstep::words_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_UTF8_H_
