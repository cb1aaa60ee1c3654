// A list of different words, and the position of each of them.
//
//   const VocabularyPtr words = Vocabulary::FromFile("words.txt");
//   words->Find("cat");    // 7: it is line 8
//   words->Find("dgo");    // kNoWord
//   words->word(7);        // "cat"
//
// It does not change, so that threads share it. That of a file is not copied:
// it is the file's pages (vocabulary/mapped_file.h) with about 20 bytes for
// each word, made in one pass.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_VOCABULARY_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_VOCABULARY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/preprocessing/words/vocabulary/mapped_file.h"
#include "reference/preprocessing/words/vocabulary/word_table.h"

namespace lockstep::words_internal {

class Vocabulary;
using VocabularyPtr = std::shared_ptr<const Vocabulary>;

class Vocabulary {
 public:
  // Copies the words; they may have any bytes. Errors: InvalidArgument for a
  // word that is there twice.
  static VocabularyPtr FromWords(std::span<const std::string_view> words);
  // One word in each line; the last one may have no end. A carriage return at
  // the end of a line is not part of the word; spaces are. Errors, with the
  // file and the line: NotFound for no file, OutOfRange for an empty one,
  // InvalidArgument for an empty line, FailedPrecondition for a word that is
  // there twice or a file that changes meanwhile; others of reading a file.
  static VocabularyPtr FromFile(const std::string& path);

  int64_t size() const { return static_cast<int64_t>(begins_.size()) - 1; }

  // REQUIRES: 0 <= position < size().
  std::string_view word(int64_t position) const;
  // The position of a word, or kNoWord.
  int64_t Find(std::string_view word) const {
    return table_.Find(HashWord(word), [this, word](int64_t position) {
      return this->word(position) == word;
    });
  }

  // Where a word is, for messages: "words.txt:8", or "word 7".
  std::string PlaceOf(int64_t position) const;
  // The word, for files and people. Errors: InvalidArgument, with its place, if
  // it is not UTF-8.
  std::string Text(int64_t position) const;

  // To be called before words are read, once for many. Errors:
  // FailedPrecondition if the file was changed since.
  void CheckUnchanged() const {
    if (file_ != nullptr) file_->CheckUnchanged();
  }

 private:
  Vocabulary() = default;
  // Adds the next word, which ends before byte `end` of text_. Errors: as above
  // for a word that is there.
  void Add(size_t end);
  void IndexLines();

  std::unique_ptr<const MappedFile> file_;
  std::string copied_;
  std::string_view text_;  // of the file or copied
  // Where each word begins, and after the last one where the next would. One
  // byte between words separates them.
  std::vector<uint64_t> begins_ = {0};
  WordTable table_;
};

}  // namespace lockstep::words_internal

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_WORDS_VOCABULARY_VOCABULARY_H_
