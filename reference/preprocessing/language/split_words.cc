#include "reference/preprocessing/language/split_words.h"

namespace lockstep {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= 9 && c <= 13); }

bool IsPunctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

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
      words.back() += Lower(c);
      inside = true;
    }
  }
  return words;
}

}  // namespace lockstep
