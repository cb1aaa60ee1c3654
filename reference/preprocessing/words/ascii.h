// Kinds of bytes of ASCII; bytes beyond it, parts of other characters, are none.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_ASCII_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_ASCII_H_

namespace lockstep::words_internal {

// The space, and tab to carriage return.
inline bool IsSpace(char byte) {
  return byte == ' ' || (byte >= 9 && byte <= 13);
}

inline bool IsPunctuation(char byte) {
  return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') ||
         (byte >= '[' && byte <= '`') || (byte >= '{' && byte <= '~');
}

inline char ToLower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A'))
                                    : byte;
}

}  // namespace lockstep::words_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_ASCII_H_
