#include "text_datasets/plain_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dataset_files/byte_source.h"
#include "reference/base/error.h"
#include "reference/preprocessing/words/ascii.h"
#include "reference/preprocessing/words/vocabulary/utf8.h"
#include "text_datasets/sentences.h"

namespace lockstep {
namespace {

using words_internal::IsPunctuation;
using words_internal::IsSpace;

bool IsDigit(char byte) { return byte >= '0' && byte <= '9'; }

bool IsListMark(std::string_view word) {
  return word == "*" || word == "+" || word == "-";
}

// "2."
bool IsListNumber(std::string_view word) {
  return word.size() > 1 && word.back() == '.' &&
         std::ranges::all_of(word.substr(0, word.size() - 1), IsDigit);
}

// "1.2." or "A.10.1."
bool IsSectionNumber(std::string_view word) {
  if (!word.ends_with('.')) return false;
  int parts = 0;
  while (!word.empty()) {
    const std::string_view part = word.substr(0, word.find('.'));
    const bool is_letter =
        parts == 0 && part.size() == 1 && part[0] >= 'A' && part[0] <= 'Z';
    if (part.empty() || !(is_letter || std::ranges::all_of(part, IsDigit))) {
      return false;
    }
    word.remove_prefix(part.size() + 1);
    ++parts;
  }
  return parts > 1;
}

// One mark of punctuation, three times or more.
bool IsUnderline(std::string_view line) {
  return line.size() >= 3 && IsPunctuation(line[0]) &&
         std::ranges::count(line, line[0]) == std::ssize(line);
}

size_t SpacesBefore(std::string_view text) {
  return std::ranges::find_if_not(text, IsSpace) - text.begin();
}

std::string_view FirstWord(std::string_view text) {
  return text.substr(0, std::ranges::find_if(text, IsSpace) - text.begin());
}

class SectionReader {
 public:
  void AddLine(std::string_view line) {
    while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
    size_t column = SpacesBefore(line);
    line.remove_prefix(column);
    if (line.empty()) return EndParagraph();
    if (IsUnderline(line)) {
      in_heading_ = true;
      EndParagraph();
      return EndSection();
    }
    const std::string_view word = FirstWord(line);
    const bool begins_entry = IsListMark(word) || IsListNumber(word);
    if (begins_entry) {
      const size_t mark = word.size() + SpacesBefore(line.substr(word.size()));
      line.remove_prefix(mark);
      column += mark;
    }
    const bool is_heading = IsSectionNumber(FirstWord(line));
    if (begins_entry || is_heading || column != column_) EndParagraph();
    if (is_heading) {
      EndSection();
      in_heading_ = true;
    }
    column_ = column;
    AddWords(line);
  }

  std::vector<std::vector<std::string>> Finish() {
    EndParagraph();
    EndSection();
    return std::move(sections_);
  }

 private:
  void AddWords(std::string_view line) {
    while (!line.empty()) {
      const std::string_view word = FirstWord(line);
      if (!paragraph_.empty()) paragraph_ += ' ';
      paragraph_ += word;
      line.remove_prefix(word.size());
      line.remove_prefix(SpacesBefore(line));
    }
  }

  void EndParagraph() {
    if (!in_heading_) {
      for (const std::string_view sentence : SplitSentences(paragraph_)) {
        if (IsProse(sentence)) section_.emplace_back(sentence);
      }
    }
    paragraph_.clear();
    in_heading_ = false;
  }

  void EndSection() {
    if (!section_.empty()) sections_.push_back(std::move(section_));
    section_.clear();
  }

  std::vector<std::vector<std::string>> sections_;
  std::vector<std::string> section_;
  std::string paragraph_;  // words with single spaces
  size_t column_ = 0;      // where its lines begin
  bool in_heading_ = false;
};

// Programs that make plain text of web pages indent with no-break spaces.
std::string WithPlainSpaces(std::string_view text) {
  constexpr std::string_view kNoBreakSpace = "\u00a0";
  std::string spaced;
  for (size_t at = 0; at < text.size();) {
    const bool found = text.substr(at).starts_with(kNoBreakSpace);
    spaced += found ? ' ' : text[at];
    at += found ? kNoBreakSpace.size() : 1;
  }
  return spaced;
}

void CheckUtf8(std::string_view text, const std::string& origin) {
  size_t line = 1;
  for (size_t at = 0; at < text.size();) {
    const auto [bytes, valid] = words_internal::FirstCharacter(text.substr(at));
    if (!valid) {
      throw DataLoss(
          "[ReadPlainText] {}: line {}: the byte {:02x} at offset {} is not "
          "UTF-8; convert the text with iconv",
          origin, line, static_cast<uint8_t>(text[at]), at);
    }
    line += text[at] == '\n';
    at += bytes;
  }
}

}  // namespace

std::vector<std::vector<std::string>> ParsePlainText(
    std::string_view text, const std::string& origin) {
  CheckUtf8(text, origin);
  const std::string spaced = WithPlainSpaces(text);
  SectionReader reader;
  for (std::string_view left = spaced; !left.empty();) {
    const size_t end = std::min(left.find('\n'), left.size());
    reader.AddLine(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return reader.Finish();
}

std::vector<std::vector<std::string>> ReadPlainText(const std::string& path) {
  return ParsePlainText(ReadContent(path), path);
}

}  // namespace lockstep
