#include "reference/preprocessing/words/vocabulary/vocabulary.h"

#include <algorithm>
#include <utility>

#include "reference/base/error.h"
#include "reference/preprocessing/words/vocabulary/utf8.h"

namespace lockstep::words_internal {

std::string_view Vocabulary::word(int64_t position) const {
  const auto index = static_cast<size_t>(position);
  const size_t begin = begins_[index];
  std::string_view word = text_.substr(begin, begins_[index + 1] - begin - 1);
  if (file_ != nullptr && word.ends_with('\r')) word.remove_suffix(1);
  return word;
}

std::string Vocabulary::PlaceOf(int64_t position) const {
  if (file_ == nullptr) return "word " + std::to_string(position);
  return file_->path() + ":" + std::to_string(position + 1);
}

std::string Vocabulary::Text(int64_t position) const {
  const std::string_view text = word(position);
  if (!IsUtf8(text)) {
    throw InvalidArgument(
        "[Vocabulary] {}: the word is not UTF-8; it can be looked up, but not "
        "be listed",
        PlaceOf(position));
  }
  return std::string(text);
}

void Vocabulary::Add(size_t end) {
  begins_.push_back(end + 1);
  const int64_t position = size() - 1;
  const std::string_view added = word(position);
  const int64_t found = table_.FindOrAdd(
      HashWord(added),
      [this, added](int64_t other) { return word(other) == added; });
  if (found == position) return;
  const std::string shown = IsUtf8(added) ? std::string(added) : "...";
  const std::string place = PlaceOf(position);
  if (file_ != nullptr) {
    throw FailedPrecondition("[Vocabulary] {}: '{}' is in line {} already",
                             place, shown, found + 1);
  }
  throw InvalidArgument("[Vocabulary] {}: '{}' is word {} already", place,
                        shown, found);
}

VocabularyPtr Vocabulary::FromWords(std::span<const std::string_view> words) {
  std::shared_ptr<Vocabulary> vocabulary(new Vocabulary);
  size_t bytes = 0;
  for (const std::string_view word : words) bytes += word.size() + 1;
  std::string& text = vocabulary->copied_;
  text.reserve(bytes);
  for (const std::string_view word : words) text.append(word).push_back('\n');
  vocabulary->text_ = text;
  vocabulary->begins_.reserve(words.size() + 1);
  vocabulary->table_.Reserve(static_cast<int64_t>(words.size()));
  size_t end = 0;
  for (const std::string_view word : words) {
    end += word.size();
    vocabulary->Add(end);
    ++end;
  }
  return vocabulary;
}

void Vocabulary::IndexLines() {
  size_t begin = 0;
  while (begin < text_.size()) {
    const size_t end = std::min(text_.find('\n', begin), text_.size());
    Add(end);
    if (word(size() - 1).empty()) {
      throw InvalidArgument("[Vocabulary] {}: the line is empty",
                            PlaceOf(size() - 1));
    }
    begin = end + 1;
  }
}

VocabularyPtr Vocabulary::FromFile(const std::string& path) {
  std::shared_ptr<Vocabulary> vocabulary(new Vocabulary);
  vocabulary->file_ = std::make_unique<MappedFile>(path);
  vocabulary->text_ = vocabulary->file_->bytes();
  if (vocabulary->text_.empty()) {
    throw OutOfRange("[Vocabulary] {}: the file has no words", path);
  }
  vocabulary->IndexLines();
  vocabulary->CheckUnchanged();
  return vocabulary;
}

}  // namespace lockstep::words_internal
