// A vocabulary of word pieces from texts, by merging pairs (Sennrich et al.,
// "Neural machine translation of rare words with subword units", 2016).
//
//   WordPieceTrainer trainer;
//   for (const std::string& line : lines) trainer.Add(line);
//   const WordPieces pieces(trainer.Train({.size = 4000}));
//   pieces.Save("pieces.txt");
//
// Begins with the characters of all words; then, again and again, the pair of
// neighboring pieces that is most frequent becomes a piece: of equal ones the
// first in the order of bytes. The result depends only on how often each word
// occurs, so that parts of the texts may be counted apart and merged.
#ifndef LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_TRAIN_WORD_PIECES_H_
#define LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_TRAIN_WORD_PIECES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct WordPieceOptions {
  // Of the vocabulary, with special pieces and characters. It is smaller if the
  // texts have no more pairs, and has all characters even if they are more.
  int64_t size = 4000;
  // A pair has to occur this often.
  int64_t least_count = 2;
  // The first pieces.
  std::vector<std::string> special = {"[PAD]", "[UNK]", "[CLS]", "[SEP]",
                                      "[MASK]"};
};

class WordPieceTrainer {
 public:
  // Counts the words of a text (split_words.h). Words that are not UTF-8 do not
  // count.
  void Add(std::string_view text);
  // Adds the counts of other texts.
  void Merge(const WordPieceTrainer& others);

  // Special pieces, characters that begin words, characters inside words, each
  // in the order of bytes, and then merged pieces in the order of merges.
  // Errors: InvalidArgument for a size below 1 and a count below 1.
  std::vector<std::string> Train(const WordPieceOptions& options = {}) const;

 private:
  std::map<std::string, int64_t, std::less<>> counts_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_REFERENCE_PREPROCESSING_LANGUAGE_TRAIN_WORD_PIECES_H_
