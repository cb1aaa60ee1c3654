#include "reference/preprocessing/words/vocabulary/word_counts.h"

#include <algorithm>

namespace lockstep::words_internal {
namespace {

bool ComesBefore(const WordCount& a, const WordCount& b) {
  return a.count != b.count ? a.count > b.count : a.word > b.word;
}

}  // namespace

WordCounts::Entry& WordCounts::FindOrAdd(std::string_view word) {
  const int64_t position =
      table_.FindOrAdd(HashWord(word), [this, word](int64_t other) {
        return WordOf(entries_[static_cast<size_t>(other)]) == word;
      });
  if (position == static_cast<int64_t>(entries_.size())) {
    entries_.push_back({text_.size(), word.size()});
    text_.append(word);
  }
  return entries_[static_cast<size_t>(position)];
}

void WordCounts::Add(std::string_view word) {
  Entry& entry = FindOrAdd(word);
  ++entry.count;
  if (entry.last_document == documents_) return;
  ++entry.documents;
  entry.last_document = documents_;
}

void WordCounts::Merge(const WordCounts& others) {
  Merge(others.words(), others.documents_);
}

void WordCounts::Merge(std::span<const WordCount> words, int64_t documents) {
  for (const WordCount& other : words) {
    Entry& entry = FindOrAdd(other.word);
    entry.count += other.count;
    entry.documents += other.documents;
  }
  documents_ += documents;
}

std::vector<WordCount> WordCounts::words() const {
  std::vector<WordCount> words;
  words.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    words.push_back({WordOf(entry), entry.count, entry.documents});
  }
  return words;
}

std::vector<WordCount> WordCounts::MostFrequent(
    int64_t limit, std::span<const std::string_view> without) const {
  std::vector<WordCount> words = this->words();
  std::erase_if(words, [&](const WordCount& word) {
    return std::ranges::find(without, word.word) != without.end();
  });
  const auto kept =
      static_cast<size_t>(std::clamp<int64_t>(limit, 0, std::ssize(words)));
  if (kept < words.size()) {
    std::ranges::nth_element(words, words.begin() + static_cast<int64_t>(kept),
                             ComesBefore);
    words.resize(kept);
  }
  std::ranges::sort(words, ComesBefore);
  return words;
}

}  // namespace lockstep::words_internal
