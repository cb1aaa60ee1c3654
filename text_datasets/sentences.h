// The sentences of a paragraph of English.
//
//   SplitSentences("Dr. Lee left. \"Why?\" He was, e.g. Late.");
//   // {"Dr. Lee left.", "\"Why?\"", "He was, e.g. Late."}
//   IsProse("He was late.");   // true
//   IsProse("Why?");           // false: one word
//
// What a sentence is: plain_text.h.
#ifndef LOCKSTEP_TEXT_DATASETS_SENTENCES_H_
#define LOCKSTEP_TEXT_DATASETS_SENTENCES_H_

#include <string_view>
#include <vector>

namespace lockstep {

// The last one may have no mark at its end. REQUIRES: single spaces between
// words.
std::vector<std::string_view> SplitSentences(std::string_view paragraph);

bool IsProse(std::string_view sentence);

}  // namespace lockstep

#endif  // LOCKSTEP_TEXT_DATASETS_SENTENCES_H_
