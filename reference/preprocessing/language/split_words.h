// Texts as words, for vocabularies of word pieces.
//
//   SplitWords("It's late.");   // {"it", "'", "s", "late", "."}
//
// Words end at white space (bytes 9 to 13, and the space); each mark of
// punctuation of ASCII is a word of its own; letters of ASCII become lower case.
// All other characters are parts of words.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_SPLIT_WORDS_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_SPLIT_WORDS_H_

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

std::vector<std::string> SplitWords(std::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_SPLIT_WORDS_H_
