#include "reference/preprocessing/language/word_pieces.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "reference/base/error_testing.h"
#include "reference/base/file_testing.h"
#include "reference/preprocessing/language/split_words.h"
#include "reference/preprocessing/language/train_word_pieces.h"

namespace lockstep {
namespace {

using Numbers = std::vector<int64_t>;
using Strings = std::vector<std::string>;

TEST(SplitWordsTest, SplitsAtSpacesAndPunctuation) {
  EXPECT_EQ(SplitWords("It's late.\n"), (Strings{"it", "'", "s", "late", "."}));
  EXPECT_EQ(SplitWords(" A\tb-2 "), (Strings{"a", "b", "-", "2"}));
  EXPECT_EQ(SplitWords("!/:@[`{~a"),
            (Strings{"!", "/", ":", "@", "[", "`", "{", "~", "a"}));
  // Other characters are kept, and so is their case.
  EXPECT_EQ(SplitWords("\xc3\x89t\xc3\xa9"), (Strings{"\xc3\x89t\xc3\xa9"}));
  EXPECT_TRUE(SplitWords(" \n").empty());
}

const WordPieces& SomePieces() {
  static const WordPieces pieces({"[PAD]", "[UNK]", "un", "##aff", "##able",
                                  "able", ".", "##a", "##ff", "\xc3\xa9", "##t",
                                  "##t\xc3\xa9", "e", "a", "##b", "'", "s"});
  return pieces;
}

// tokenizers 0.23.3 (WordPiece, BertNormalizer without accents' removal,
// BertPreTokenizer) gives these.
TEST(WordPiecesTest, EncodesAsTokenizersDoes) {
  const auto& pieces = SomePieces();
  EXPECT_EQ(pieces.Encode("Unaffable. Able?"), (Numbers{2, 3, 4, 6, 5, 1}));
  EXPECT_EQ(pieces.Encode("unaffaffable"), (Numbers{2, 3, 3, 4}));
  EXPECT_EQ(pieces.Encode("\xc3\xa9t\xc3\xa9"), (Numbers{9, 11}));
  EXPECT_EQ(pieces.Encode("a's ABLE.."), (Numbers{13, 15, 16, 5, 6, 6}));
  // No piece for the rest makes the whole word unknown.
  EXPECT_EQ(pieces.Encode("abx able"), (Numbers{1, 5}));
  EXPECT_EQ(pieces.Encode("unx"), (Numbers{1}));
  EXPECT_EQ(pieces.Encode(""), (Numbers{}));
}

TEST(WordPiecesTest, WordsOfMoreThan100CharactersAreUnknown) {
  std::string word;
  for (int i = 0; i < 50; ++i) word += "ab";
  EXPECT_EQ(SomePieces().Encode(word).size(), 100u);
  EXPECT_EQ(SomePieces().Encode(word + "a"), (Numbers{1}));
}

TEST(WordPiecesTest, DecodesWords) {
  EXPECT_EQ(SomePieces().Decode({2, 3, 4, 6, 5, 1}), "unaffable . able [UNK]");
  EXPECT_EQ(SomePieces().Decode({0, 0}), "");
  EXPECT_EQ(CodeOf([] { SomePieces().Decode({17}); }), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { SomePieces().Decode({-1}); }), Code::kInvalidArgument);
}

TEST(WordPiecesTest, AreSavedOneInALine) {
  const std::string path = testing::TempDir() + "/pieces.txt";
  SomePieces().Save(path);
  const WordPieces read = WordPieces::FromFile(path);
  ASSERT_EQ(read.size(), SomePieces().size());
  for (int64_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read.piece(i), SomePieces().piece(i));
  }
  WordPieces({"[UNK]", "a"}).Save(path);
  EXPECT_EQ(ReadWholeFile(path), "[UNK]\na\n");
}

TEST(WordPiecesTest, RefusesOtherVocabularies) {
  const auto code = [](const Strings& pieces) {
    return CodeOf([&] { WordPieces{pieces}; });
  };
  EXPECT_EQ(code({"a", "b"}), Code::kInvalidArgument);
  EXPECT_EQ(code({"[UNK]", "a", "a"}), Code::kInvalidArgument);
  EXPECT_EQ(code({"[UNK]", "a\nb"}), Code::kInvalidArgument);
  EXPECT_EQ(code({"[UNK]", "\xff"}), Code::kInvalidArgument);
  EXPECT_EQ(code({"[UNK]", ""}), Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([] { WordPieces::FromFile("/nonexistent/pieces.txt"); }),
            Code::kNotFound);
  EXPECT_EQ(CodeOf([] { SomePieces().Find("[MASK]"); }), Code::kNotFound);
  EXPECT_EQ(SomePieces().Find("able"), 5);
  EXPECT_TRUE(SomePieces().IsSpecial(0));
  EXPECT_FALSE(SomePieces().IsSpecial(2));
}

// The words of Sennrich et al., 2016, with merges by hand.
void AddPaperWords(WordPieceTrainer& trainer) {
  for (const auto& [word, count] :
       {std::pair("low ", 5), {"lower ", 2}, {"newest ", 6}, {"widest ", 3}}) {
    for (int i = 0; i < count; ++i) trainer.Add(word);
  }
}

const Strings kCharacters = {"[UNK]", "l",   "n",   "w",   "##d", "##e",
                             "##i",   "##o", "##r", "##s", "##t", "##w"};
// ##e ##s and ##s ##t occur 9 times, and of equal ones the first in the order of
// bytes is merged; then ##o ##w 7 times; and so on.
const Strings kMerges = {"##es",    "##est",   "##ow",   "low",
                         "##ew",    "##ewest", "newest", "##dest",
                         "##idest", "widest",  "##er",   "lower"};

Strings Joined(const Strings& a, Strings b, size_t count) {
  b.resize(count);
  b.insert(b.begin(), a.begin(), a.end());
  return b;
}

TEST(TrainWordPiecesTest, MergesTheMostFrequentPairs) {
  WordPieceTrainer trainer;
  AddPaperWords(trainer);
  WordPieceOptions options{.size = 100, .special = {"[UNK]"}};
  EXPECT_EQ(trainer.Train(options), Joined(kCharacters, kMerges, 12));
  options.size = 14;
  EXPECT_EQ(trainer.Train(options), Joined(kCharacters, kMerges, 2));
  options = {.size = 100, .least_count = 3, .special = {"[UNK]"}};
  EXPECT_EQ(trainer.Train(options), Joined(kCharacters, kMerges, 10));
  // All characters are there, whatever the size.
  options.size = 1;
  EXPECT_EQ(trainer.Train(options), kCharacters);
}

TEST(TrainWordPiecesTest, PartsMayBeCountedApart) {
  WordPieceTrainer all, part, other;
  all.Add("low low lower");
  all.Add("newest lower");
  other.Add("low low lower");
  part.Add("newest lower");
  part.Merge(other);
  EXPECT_EQ(part.Train(), all.Train());
}

TEST(TrainWordPiecesTest, EncodesItsOwnTexts) {
  WordPieceTrainer trainer;
  AddPaperWords(trainer);
  const WordPieces pieces(trainer.Train());
  EXPECT_EQ(pieces.Decode(pieces.Encode("Newest lowest slow")),
            "newest lowest [UNK]");
}

TEST(TrainWordPiecesTest, RefusesWrongOptions) {
  const WordPieceTrainer trainer;
  EXPECT_EQ(CodeOf([&] { trainer.Train({.size = 0}); }),
            Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { trainer.Train({.least_count = 0}); }),
            Code::kInvalidArgument);
  EXPECT_EQ(trainer.Train(), WordPieceOptions().special);
}

}  // namespace
}  // namespace lockstep
