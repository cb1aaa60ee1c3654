#include "reference/metrics/bleu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "reference/base/error_testing.h"

namespace lockstep {
namespace {

Words Split(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

struct Sentence {
  std::string candidate;
  std::vector<std::string> references;
};

const std::vector<Sentence> kSentences = {
    {"the cat sat on the mat",
     {"the cat sat on a mat", "a cat sat on the mat"}},
    {"there is a red house near the river",
     {"there is one red house near the big river",
      "a red house is near the river"}},
    {"he reads the the the book today",
     {"he reads the book today", "today he reads the old book"}},
    {"a dog barks", {"the dog barks at night", "a dog is barking"}},
    {"it rains in the north of the country",
     {"it often rains in the north of the land",
      "in the north of the country it rains"}}};

// Of the sentences' first references, or of all.
BleuCounts CountsOf(size_t references, size_t begin = 0, size_t end = 5) {
  BleuCounts counts;
  for (size_t i = begin; i < end; ++i) {
    std::vector<Words> split;
    for (size_t r = 0; r < references; ++r) {
      split.push_back(Split(kSentences[i].references[r]));
    }
    counts += CountNgrams(Split(kSentences[i].candidate), split);
  }
  return counts;
}

// By hand; sacrebleu 2.6.0 and nltk 3.10.4 give 0.53728496591.
TEST(BleuTest, OneSentence) {
  const BleuCounts counts = CountsOf(1, 0, 1);
  EXPECT_EQ(counts.matches, (std::array<int64_t, 4>{5, 3, 2, 1}));
  EXPECT_EQ(counts.possible, (std::array<int64_t, 4>{6, 5, 4, 3}));
  EXPECT_EQ(counts.candidate_words, 6);
  EXPECT_EQ(counts.reference_words, 6);
  EXPECT_NEAR(BleuOf(counts), std::pow(5.0 / 6 * 3 / 5 * 2 / 4 * 1 / 3, 0.25),
              1e-15);
}

// "the the the" has one match: the reference has one. By hand.
TEST(BleuTest, AMatchCountsAsOftenAsAReferenceHasIt) {
  const BleuCounts counts = CountsOf(1, 2, 3);
  EXPECT_EQ(counts.matches, (std::array<int64_t, 4>{5, 4, 2, 0}));
  EXPECT_EQ(BleuOf(counts), 0);
}

// sacrebleu 2.6.0, corpus_bleu(smooth_method="none", tokenize="none"). nltk
// 3.10.4 counts one possible 4-gram for the sentence of three words.
TEST(BleuTest, ACorpusAgreesWithSacrebleu) {
  const BleuCounts one = CountsOf(1);
  EXPECT_EQ(one.matches, (std::array<int64_t, 4>{26, 17, 10, 5}));
  EXPECT_EQ(one.possible, (std::array<int64_t, 4>{32, 27, 22, 17}));
  EXPECT_EQ(one.reference_words, 34);
  EXPECT_NEAR(BleuOf(one), 0.4804058941108958, 1e-15);
  const BleuCounts two = CountsOf(2);
  EXPECT_EQ(two.matches, (std::array<int64_t, 4>{29, 24, 15, 8}));
  EXPECT_EQ(two.reference_words, 31);
  EXPECT_NEAR(BleuOf(two), 0.7130192995971149, 1e-15);
}

TEST(BleuTest, PartsAddUpInAnyOrder) {
  BleuCounts parts = CountsOf(2, 3, 5);
  parts += CountsOf(2, 0, 3);
  EXPECT_EQ(parts, CountsOf(2));
}

// All n-grams match, and exp(1 - 6 / 4) is left. sacrebleu and nltk agree.
TEST(BleuTest, ShortCandidatesLose) {
  EXPECT_NEAR(BleuOf(CountNgrams(Split("the cat sat on"),
                                 {Split("the cat sat on the mat")})),
              std::exp(-0.5), 1e-15);
  // Of two references that are as close, the shorter one counts.
  EXPECT_EQ(
      CountNgrams(Split("a b c d e"), {Split("a b c d e f"), Split("a b c d")})
          .reference_words,
      4);
}

TEST(BleuTest, NothingIsZero) {
  EXPECT_EQ(BleuOf({}), 0);
  EXPECT_EQ(BleuOf(CountNgrams(Words{}, {Split("a b c d")})), 0);
  EXPECT_EQ(CodeOf([] { CountNgrams(Words{}, {}); }), Code::kInvalidArgument);
}

// 1 starts a sentence, 2 ends it, 0 fills it.
const Tensor kReferences = Tensor::FromVector<int64_t>(
    {1, 5, 6, 7, 8, 9, 2, 1, 5, 5, 6, 7, 2, 0}, Shape{2, 7});
const Tensor kDecoded = Tensor::FromVector<int64_t>(
    {5, 6, 7, 8, 4, 2, 9, 9, 5, 5, 6, 7, 8, 2, 0, 0}, Shape{2, 8});

TEST(BleuTest, ReadsTokensUpToTheEnd) {
  Bleu bleu({.end_token = 2, .ignored_tokens = {0, 1}});
  EXPECT_EQ(bleu.Result(), 0);
  bleu.UpdateState(kReferences, kDecoded);
  // 4 + 4 of 5 + 5 words, 3 + 3 of 8, 2 + 2 of 6, 1 + 1 of 4; 9 reference words.
  EXPECT_NEAR(bleu.Result(), std::pow(0.8 * 0.75 * 4 / 6 * 0.5, 0.25), 1e-15);
  bleu.ResetState();
  EXPECT_EQ(bleu.Result(), 0);
}

TEST(BleuTest, AWeightSaysWhetherASentenceCounts) {
  Bleu bleu({.end_token = 2, .ignored_tokens = {0, 1}});
  bleu.UpdateState(kReferences, kDecoded, Tensor::FromVector<float>({0, 1}));
  // Of the second sentence: 4 of 5, 3 of 4, 2 of 3, 1 of 2.
  EXPECT_NEAR(bleu.Result(), std::pow(0.2, 0.25), 1e-15);
  EXPECT_EQ(CodeOf([&] {
              bleu.UpdateState(kReferences, kDecoded, Tensor::Scalar(0.5f));
            }),
            Code::kInvalidArgument);
}

TEST(BleuTest, RefusesOtherShapes) {
  Bleu bleu;
  EXPECT_EQ(
      CodeOf([&] { bleu.UpdateState(kReferences, kDecoded.Slice(0, 1)); }),
      Code::kInvalidArgument);
  EXPECT_EQ(CodeOf([&] { bleu.UpdateState(kReferences.Row(0), kDecoded); }),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
