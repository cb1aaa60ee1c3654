#include "text_datasets/sentences.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace lockstep {
namespace {

constexpr std::string_view kEnds = ".?!";
constexpr std::array<std::string_view, 6> kOpening = {"\"", "'",      "(",
                                                      "[",  "\u201c", "\u2018"};
constexpr std::array<std::string_view, 6> kClosing = {"\"", "'",      ")",
                                                      "]",  "\u201d", "\u2019"};
constexpr std::array<std::string_view, 7> kAbbreviations = {
    "Dr", "Mr", "Mrs", "Ms", "Prof", "cf", "vs"};
constexpr std::string_view kNotInProse = "<>{}|\\=$#";
constexpr std::ptrdiff_t kLeastWords = 3;

bool IsCapital(char byte) { return byte >= 'A' && byte <= 'Z'; }

bool IsLetter(char byte) {
  return IsCapital(byte) || (byte >= 'a' && byte <= 'z');
}

bool IsControl(char byte) { return (byte >= 0 && byte < ' ') || byte == 0x7f; }

// The text after the marks at its front.
std::string_view After(std::span<const std::string_view> marks,
                       std::string_view text) {
  for (auto mark = marks.begin(); mark != marks.end();) {
    if (text.starts_with(*mark)) {
      text.remove_prefix(mark->size());
      mark = marks.begin();
    } else {
      ++mark;
    }
  }
  return text;
}

bool BeginsSentence(std::string_view text) {
  return After(kOpening, text) != text || IsCapital(text[0]) ||
         (text[0] >= '0' && text[0] <= '9');
}

// Whether the period after these words is part of the last one.
bool EndsWithAbbreviation(std::string_view words) {
  size_t letters = 0;
  while (letters < words.size() && IsLetter(words.end()[-1 - letters])) {
    ++letters;
  }
  const std::string_view last = words.substr(words.size() - letters);
  return letters == 1 || std::ranges::count(kAbbreviations, last) > 0;
}

// Whether the mark at `place` ends a sentence; if so, sets its size.
bool EndsSentence(std::string_view text, size_t place, size_t* size) {
  if (kEnds.find(text[place]) == std::string_view::npos) return false;
  if (text[place] == '.' && EndsWithAbbreviation(text.substr(0, place))) {
    return false;
  }
  const std::string_view rest = After(kClosing, text.substr(place + 1));
  *size = text.size() - rest.size();
  return rest.size() > 1 && rest[0] == ' ' && BeginsSentence(rest.substr(1));
}

}  // namespace

std::vector<std::string_view> SplitSentences(std::string_view paragraph) {
  std::vector<std::string_view> sentences;
  for (size_t place = 0; place < paragraph.size(); ++place) {
    size_t size = 0;
    if (!EndsSentence(paragraph, place, &size)) continue;
    sentences.push_back(paragraph.substr(0, size));
    paragraph.remove_prefix(size + 1);
    place = static_cast<size_t>(-1);
  }
  if (!paragraph.empty()) sentences.push_back(paragraph);
  return sentences;
}

bool IsProse(std::string_view sentence) {
  const std::string_view words = After(kOpening, sentence);
  const size_t end = sentence.find_last_of(kEnds);
  return !words.empty() && IsCapital(words[0]) &&
         end != std::string_view::npos &&
         After(kClosing, sentence.substr(end + 1)).empty() &&
         std::ranges::count(sentence, ' ') + 1 >= kLeastWords &&
         sentence.find_first_of(kNotInProse) == std::string_view::npos &&
         std::ranges::none_of(sentence, IsControl);
}

}  // namespace lockstep
