#include "reference/preprocessing/language/word_pieces.h"

#include <utility>

#include "reference/base/error.h"
#include "reference/base/files/file_bytes.h"
#include "reference/preprocessing/language/split_words.h"
#include "reference/preprocessing/words/vocabulary/lines.h"
#include "reference/preprocessing/words/vocabulary/utf8.h"

namespace lockstep {
namespace {

using words_internal::kNoWord;
using words_internal::Vocabulary;

constexpr std::string_view kUnknown = "[UNK]";
constexpr std::string_view kInside = "##";

int64_t CountCharacters(std::string_view word) {
  int64_t characters = 0;
  while (!word.empty()) {
    word.remove_prefix(words_internal::FirstCharacter(word).bytes);
    ++characters;
  }
  return characters;
}

words_internal::VocabularyPtr VocabularyOf(
    const std::vector<std::string>& pieces) {
  const std::vector<std::string_view> views(pieces.begin(), pieces.end());
  return Vocabulary::FromWords(views);
}

}  // namespace

WordPieces::WordPieces(const std::vector<std::string>& pieces)
    : WordPieces(VocabularyOf(pieces)) {}

WordPieces::WordPieces(words_internal::VocabularyPtr vocabulary)
    : vocabulary_(std::move(vocabulary)) {
  for (int64_t i = 0; i < size(); ++i) {
    if (!words_internal::FitsALine(vocabulary_->Text(i))) {
      throw InvalidArgument("[WordPieces] {}: a piece needs to fit on a line",
                            vocabulary_->PlaceOf(i));
    }
  }
  unknown_ = vocabulary_->Find(kUnknown);
  if (unknown_ == kNoWord) {
    throw InvalidArgument(
        "[WordPieces] none of {} pieces is {}, for words that have no pieces",
        size(), kUnknown);
  }
}

WordPieces WordPieces::FromFile(const std::string& path) {
  return WordPieces(Vocabulary::FromFile(path));
}

void WordPieces::Save(const std::string& path) const {
  std::string lines;
  for (int64_t i = 0; i < size(); ++i) {
    lines += piece(i);
    lines += '\n';
  }
  export_internal::WriteFileBytes(path, lines);
}

int64_t WordPieces::Find(std::string_view piece) const {
  const int64_t number = vocabulary_->Find(piece);
  if (number == kNoWord) {
    throw NotFound("[WordPieces] none of {} pieces is '{}'", size(), piece);
  }
  return number;
}

bool WordPieces::IsSpecial(int64_t number) const {
  const std::string_view text = piece(number);
  return text.size() > 2 && text.starts_with('[') && text.ends_with(']');
}

std::vector<int64_t> WordPieces::Encode(std::string_view text) const {
  std::vector<int64_t> numbers;
  for (const std::string& word : SplitWords(text)) AddPieces(word, numbers);
  return numbers;
}

void WordPieces::AddPieces(std::string_view word,
                           std::vector<int64_t>& numbers) const {
  const size_t before = numbers.size();
  std::string_view left = word;
  std::string candidate;
  const bool too_long = CountCharacters(word) > kMostCharacters;
  while (!left.empty() && !too_long) {
    const size_t prefix = left.size() == word.size() ? 0 : kInside.size();
    candidate.assign(kInside.substr(0, prefix)).append(left);
    int64_t number = vocabulary_->Find(candidate);
    while (number == kNoWord && candidate.size() > prefix + 1) {
      candidate.pop_back();
      number = vocabulary_->Find(candidate);
    }
    if (number == kNoWord) break;
    numbers.push_back(number);
    left.remove_prefix(candidate.size() - prefix);
  }
  if (left.empty()) return;
  numbers.resize(before);
  numbers.push_back(unknown_);
}

std::string WordPieces::Decode(std::span<const int64_t> numbers) const {
  std::string text;
  for (const int64_t number : numbers) {
    if (number < 0 || number >= size()) {
      throw InvalidArgument("[WordPieces] {} is none of {} pieces", number,
                            size());
    }
    if (number != unknown_ && IsSpecial(number)) continue;
    std::string_view next = piece(number);
    if (next.starts_with(kInside) && next.size() > kInside.size()) {
      next.remove_prefix(kInside.size());
    } else if (!text.empty()) {
      text += ' ';
    }
    text += next;
  }
  return text;
}

}  // namespace lockstep
