// Texts as numbers of pieces of words, and back: WordPiece, as BERT has it.
//
//   const WordPieces pieces(
//       {"[PAD]", "[UNK]", "un", "##aff", "##able", "able", "."});
//   pieces.Encode("Unaffable. Able?");   // {2, 3, 4, 6, 5, 1}
//   pieces.Decode({2, 3, 4, 6, 5, 1});   // "unaffable . able"
//
// A word (split_words.h) is the longest piece of the vocabulary that it begins
// with, then the longest "##piece" that the rest begins with, and so on; the
// whole word is "[UNK]" if that fails. Pieces in brackets are special: no text
// has them.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_WORD_PIECES_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_WORD_PIECES_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/preprocessing/words/vocabulary/vocabulary.h"

namespace lockstep {

class WordPieces {
 public:
  // Words with more characters are "[UNK]", as in BERT.
  static constexpr int64_t kMostCharacters = 100;

  // Errors: InvalidArgument for a piece that is there twice, is empty, has an
  // end of a line or is not UTF-8, and for pieces without "[UNK]".
  explicit WordPieces(const std::vector<std::string>& pieces);
  // One piece in each line, as Save writes it and BERT's vocab.txt has it.
  // Errors, with file and line: as Vocabulary::FromFile; as above.
  static WordPieces FromFile(const std::string& path);
  // Replaces the file at once. Errors: of writing a file.
  void Save(const std::string& path) const;

  int64_t size() const { return vocabulary_->size(); }
  std::string_view piece(int64_t number) const {
    return vocabulary_->word(number);
  }
  // Errors: NotFound for a piece that does not exist: Find("[MASK]").
  int64_t Find(std::string_view piece) const;
  // Whether it is a piece in brackets, for instance "[SEP]".
  bool IsSpecial(int64_t number) const;

  std::vector<int64_t> Encode(std::string_view text) const;
  // Words with spaces between them, without special pieces other than "[UNK]".
  // Errors: InvalidArgument for a number that is no piece's.
  std::string Decode(std::span<const int64_t> numbers) const;
  std::string Decode(std::initializer_list<int64_t> numbers) const {
    return Decode(std::span(numbers.begin(), numbers.size()));
  }

 private:
  explicit WordPieces(words_internal::VocabularyPtr vocabulary);

  void AddPieces(std::string_view word, std::vector<int64_t>& numbers) const;

  words_internal::VocabularyPtr vocabulary_;
  int64_t unknown_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_WORD_PIECES_H_
