#include "reference/preprocessing/words/tokens.h"

#include <algorithm>

#include "reference/preprocessing/words/ascii.h"
#include "reference/preprocessing/words/vocabulary/utf8.h"

namespace lockstep::words_internal {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

}  // namespace

std::string_view Tokenizer::Standardized(std::string_view text) {
  const Standardize how = options_.standardize;
  const bool lower = how == Standardize::kLower ||
                     how == Standardize::kLowerAndStripPunctuation;
  const bool strip = how == Standardize::kStripPunctuation ||
                     how == Standardize::kLowerAndStripPunctuation;
  const size_t begin = text_.size();
  for (const char byte : text) {
    if (strip && IsPunctuation(byte)) continue;
    text_.push_back(lower ? ToLower(byte) : byte);
  }
  return std::string_view(text_).substr(begin);
}

void Tokenizer::AddWords(std::string_view text) {
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && !IsSpace(text[i])) continue;
    if (i > begin) tokens_.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
}

void Tokenizer::AddCharacters(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character first = FirstCharacter(text);
    tokens_.push_back(first.valid ? text.substr(0, first.bytes) : kReplacement);
    text.remove_prefix(first.bytes);
  }
}

// Views of joined_ are made after its last byte is written, because growing
// moves it.
void Tokenizer::JoinNgrams() {
  joined_.clear();
  std::vector<size_t> ends;
  for (const int64_t width : *options_.ngrams) {
    const auto size = static_cast<size_t>(width);
    for (size_t first = 0; first + size <= tokens_.size(); ++first) {
      for (size_t i = 0; i < size; ++i) {
        if (i > 0) joined_.push_back(' ');
        joined_.append(tokens_[first + i]);
      }
      ends.push_back(joined_.size());
    }
  }
  ngrams_.clear();
  size_t begin = 0;
  for (const size_t end : ends) {
    ngrams_.push_back(std::string_view(joined_).substr(begin, end - begin));
    begin = end;
  }
}

const std::vector<std::string_view>& Tokenizer::Split(
    std::span<const std::string> texts) {
  size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  text_.clear();
  text_.reserve(bytes);  // so that views of it stay valid
  tokens_.clear();
  for (const std::string& text : texts) {
    const std::string_view standardized = Standardized(text);
    if (options_.split == SplitAt::kWhitespace) {
      AddWords(standardized);
    } else if (options_.split == SplitAt::kCharacter) {
      AddCharacters(standardized);
    } else {
      tokens_.push_back(standardized);
    }
  }
  if (!options_.ngrams) return tokens_;
  JoinNgrams();
  return ngrams_;
}

}  // namespace lockstep::words_internal
