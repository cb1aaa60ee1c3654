// How often words occur, to make a vocabulary of the most frequent ones.
//
//   WordCounts counts;
//   for (const auto word : {"b", "a", "b"}) counts.Add(word);
//   counts.EndDocument();
//   counts.MostFrequent();   // {"b", 2, 1}, {"a", 1, 1}
//
// Several threads or workers count parts of the data and merge the results:
//
//   counts.Merge(others);
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_WORD_COUNTS_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_WORD_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/preprocessing/words/vocabulary/word_table.h"

namespace lockstep::words_internal {

struct WordCount {
  std::string_view word;
  int64_t count = 0;
  int64_t documents = 0;  // that have the word

  bool operator==(const WordCount&) const = default;
};

class WordCounts {
 public:
  // Counts a word of the current document.
  void Add(std::string_view word);
  // The words that follow are of the next document.
  void EndDocument() { ++documents_; }
  // Adds the counts of other documents. REQUIRES: no document was begun.
  void Merge(const WordCounts& others);
  void Merge(std::span<const WordCount> words, int64_t documents);

  // The number of different words, and of documents.
  int64_t size() const { return table_.size(); }
  int64_t documents() const { return documents_; }

  // All words in the order of their first occurrence; valid until the next
  // change.
  std::vector<WordCount> words() const;

  // At most `limit` words other than `without`, the most frequent ones first,
  // and among equals the last in the order of bytes first, as Keras does.
  std::vector<WordCount> MostFrequent(
      int64_t limit = std::numeric_limits<int64_t>::max(),
      std::span<const std::string_view> without = {}) const;

 private:
  struct Entry {
    size_t begin;  // in text_
    size_t bytes;
    int64_t count = 0;
    int64_t documents = 0;
    int64_t last_document = -1;
  };

  std::string_view WordOf(const Entry& entry) const {
    return std::string_view(text_).substr(entry.begin, entry.bytes);
  }
  Entry& FindOrAdd(std::string_view word);

  std::string text_;  // the words, one after another
  std::vector<Entry> entries_;
  WordTable table_;
  int64_t documents_ = 0;
};

}  // namespace lockstep::words_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_WORD_COUNTS_H_
