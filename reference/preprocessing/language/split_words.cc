#include "reference/preprocessing/language/split_words.h"

#include "reference/preprocessing/words/ascii.h"

namespace lockstep {

using words_internal::IsPunctuation;
using words_internal::IsSpace;
using words_internal::ToLower;

std::vector<std::string> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;  // a word that has not ended
  for (const char c : text) {
    if (IsSpace(c)) {
      inside = false;
    } else if (IsPunctuation(c)) {
      words.emplace_back(1, c);
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      words.back() += ToLower(c);
      inside = true;
    }
  }
  return words;
}

}  // namespace lockstep
